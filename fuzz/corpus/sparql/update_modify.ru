WITH <g> DELETE { ?s ?p ?o } INSERT { GRAPH ?g { ?s ?p [] } } USING NAMED <n> WHERE { GRAPH ?g { ?s ?p ?o } } ; DELETE WHERE { ?a ?b ?c }
