PREFIX : <http://e/> INSERT DATA { :a :p 1 . GRAPH :g { _:x :q <<( :s :p "o"@en )>> } }
