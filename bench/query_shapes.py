"""The shapes of queries that are measured, by class, over the data "town" (data.py).

Every answer is the same whatever the engine's order: a LIMIT either follows a total order or its name says
"any" (then only the number of rows is compared).
"""
PREFIXES = ("PREFIX ex: <http://example.org/> PREFIX foaf: <http://xmlns.com/foaf/0.1/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
            "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ")

SHAPES = {
    "counts and scans": {
        "count all": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "count one predicate": "SELECT (COUNT(?o) AS ?n) { ?s foaf:knows ?o }",
        "count different subjects": "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
        "count by predicate": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
        "scan one predicate": "SELECT ?s ?o { ?s foaf:name ?o }",
        "scan all, any ten": "SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 10",
        "scan all with a test": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER isLiteral(?o) }",
    },
    "point look-ups": {
        "all of one subject": "SELECT ?p ?o { ex:person777 ?p ?o }",
        "one value": "SELECT ?o { ex:person777 foaf:name ?o }",
        "subjects of an object": "SELECT ?s { ?s foaf:knows ex:person777 }",
        "all that points to one": "SELECT ?s ?p { ?s ?p ex:person777 }",
        "is there": "ASK { ex:person777 foaf:name ?n }",
        "is there not": "ASK { ex:person777 foaf:knows ex:person777 }",
        "a hundred subjects": "SELECT ?x ?n { VALUES ?x { " + " ".join(f"ex:person{i * 97}" for i in range(100)) + " } ?x foaf:name ?n }",
        "friends and their names": "SELECT ?f ?n { ex:person777 foaf:knows ?f . ?f foaf:name ?n }",
    },
    "chains": {
        "two, counted": "SELECT (COUNT(*) AS ?n) { ?x foaf:knows ?y . ?y foaf:knows ?z }",
        "three from one": "SELECT ?d { ex:person777 foaf:knows ?b . ?b foaf:knows ?c . ?c foaf:knows ?d }",
        "five, any ten": "SELECT * { ?a foaf:knows ?b . ?b foaf:knows ?c . ?c foaf:knows ?d . ?d foaf:knows ?e . ?e foaf:name ?n } LIMIT 10",
        "people of a country": "SELECT ?x ?n { ?x foaf:name ?n . ?x ex:city ?c . ?c ex:partOf ?r . ?r ex:partOf ex:country7 }",
        "city, region, country of all": "SELECT (COUNT(?k) AS ?n) { ?x ex:city ?c . ?c ex:partOf ?r . ?r ex:partOf ?k }",
        "friends in another city": "SELECT (COUNT(*) AS ?n) { ?x ex:city ex:city7 . ?x foaf:knows ?y . ?y ex:city ex:city9 }",
    },
    "stars": {
        "two big sides": "SELECT ?n ?c { ?x foaf:name ?n . ?x ex:city ?c }",
        "four big sides": "SELECT ?n ?c ?a { ?x foaf:name ?n . ?x ex:city ?c . ?x foaf:age ?a . ?x ex:height ?h }",
        "four in one city": "SELECT ?n ?a ?h { ?x ex:city ex:city7 . ?x foaf:name ?n . ?x foaf:age ?a . ?x ex:height ?h }",
        "eight, counted": "SELECT (COUNT(*) AS ?k) { ?x rdf:type ?t . ?x foaf:name ?n . ?x foaf:age ?a . ?x ex:height ?h . ?x ex:born ?b . ?x ex:city ?c . "
                          "?x ex:next ?m . ?x foaf:mbox ?e }",
        "rare with big": "SELECT ?x ?e ?a { ?x foaf:mbox ?e . ?x foaf:age ?a . ?x rdf:type ex:class30 }",
        "with a range": "SELECT ?x ?n { ?x foaf:age ?a . ?x foaf:name ?n . ?x ex:city ?c FILTER(?a > 90) }",
    },
    "cycles": {
        "triangles, counted": "SELECT (COUNT(*) AS ?n) { ?x foaf:knows ?y . ?y foaf:knows ?z . ?z foaf:knows ?x }",
        "pairs that know each other": "SELECT (COUNT(*) AS ?n) { ?x foaf:knows ?y . ?y foaf:knows ?x }",
        "triangles in a city": "SELECT ?x ?y ?z { ?x ex:city ex:city7 . ?x foaf:knows ?y . ?y foaf:knows ?z . ?z foaf:knows ?x }",
        "squares from one": "SELECT (COUNT(*) AS ?n) { ex:person777 foaf:knows ?b . ?b foaf:knows ?c . ?d foaf:knows ?c . ex:person777 foaf:knows ?d }",
        "friends of the same city": "SELECT (COUNT(*) AS ?n) { ?x foaf:knows ?y . ?x ex:city ?c . ?y ex:city ?c }",
        "squares, counted": "SELECT (COUNT(*) AS ?n) { ?a foaf:knows ?b . ?b foaf:knows ?c . ?c foaf:knows ?d . ?d foaf:knows ?a }",
    },
    "groups": {
        "count by city": "SELECT ?c (COUNT(*) AS ?n) { ?x ex:city ?c } GROUP BY ?c",
        "average age by city": "SELECT ?c (AVG(?a) AS ?n) { ?x ex:city ?c . ?x foaf:age ?a } GROUP BY ?c",
        "sum of decimals": "SELECT (SUM(?h) AS ?n) { ?x ex:height ?h }",
        "least and greatest": "SELECT ?t (MIN(?b) AS ?first) (MAX(?b) AS ?last) { ?x rdf:type ?t . ?x ex:born ?b } GROUP BY ?t",
        "big cities": "SELECT ?c (COUNT(*) AS ?n) { ?x ex:city ?c } GROUP BY ?c HAVING(COUNT(*) > 300)",
        "different cities by age": "SELECT ?a (COUNT(DISTINCT ?c) AS ?n) { ?x foaf:age ?a . ?x ex:city ?c } GROUP BY ?a",
        "by a computed key": "SELECT ?y (COUNT(*) AS ?n) { ?x ex:born ?b BIND(YEAR(?b) AS ?y) } GROUP BY ?y",
    },
    "sorts": {
        "all by name": "SELECT ?n ?x { ?x foaf:name ?n } ORDER BY ?n ?x",
        "all by age": "SELECT ?x ?a { ?x foaf:age ?a } ORDER BY ?a ?x",
        "top ten": "SELECT ?x ?h { ?x ex:height ?h } ORDER BY DESC(?h) ?x LIMIT 10",
        "a later page": "SELECT ?x ?b { ?x ex:born ?b } ORDER BY ?b ?x OFFSET 5000 LIMIT 20",
        "two keys in a country": "SELECT ?n ?a ?x { ?x ex:city ?c . ?c ex:partOf/ex:partOf ex:country7 . ?x foaf:name ?n . ?x foaf:age ?a } ORDER BY DESC(?a) ?n ?x",
        "biggest cities": "SELECT ?c (COUNT(*) AS ?n) { ?x ex:city ?c } GROUP BY ?c ORDER BY DESC(?n) ?c LIMIT 10",
    },
    "text filters": {
        "CONTAINS": "SELECT ?x ?n { ?x foaf:name ?n FILTER CONTAINS(?n, \"Okonkwo 77\") }",
        "CONTAINS, any letter case": "SELECT ?x ?n { ?x foaf:name ?n FILTER CONTAINS(LCASE(?n), \"okonkwo 7\") }",
        "STRSTARTS": "SELECT ?x ?n { ?x foaf:name ?n FILTER STRSTARTS(?n, \"Mei A\") }",
        "REGEX": "SELECT ?x ?n { ?x foaf:name ?n FILTER REGEX(?n, \"^Ada .*9$\") }",
        "REGEX, any letter case": "SELECT (COUNT(*) AS ?k) { ?x ex:note ?t FILTER REGEX(?t, \"wooden.*glass\", \"i\") }",
        "words of a text": "SELECT ?x { ?x ex:note ?t FILTER(CONTAINS(?t, \"steel paper\") && LANG(?t) = \"en\") }",
    },
    "paths": {
        "+ around from one": "SELECT (COUNT(*) AS ?n) { ex:person777 ex:next+ ?y }",
        "+ of all, any ten": "SELECT * { ?x ex:next+ ?y } LIMIT 10",
        "* of a net from one": "SELECT (COUNT(*) AS ?n) { ex:person777 foaf:knows* ?y }",
        "up to the country": "SELECT ?p { ex:person777 ex:city/ex:partOf* ?p }",
        "all of a country": "SELECT (COUNT(*) AS ?n) { ?x ex:city/ex:partOf+ ex:country7 }",
        "all of a class": "SELECT (COUNT(*) AS ?n) { ?x rdf:type/rdfs:subClassOf* ex:class2 }",
        "one or two steps": "SELECT ?y { ex:person777 foaf:knows/foaf:knows? ?y }",
        "either way": "SELECT ?y { ex:person777 (foaf:knows|^foaf:knows) ?y }",
    },
    "OPTIONAL, UNION, MINUS": {
        "optional of few": "SELECT ?x ?a ?e { ?x foaf:age ?a OPTIONAL { ?x foaf:mbox ?e } }",
        "optional in a city": "SELECT ?x ?e { ?x ex:city ex:city7 OPTIONAL { ?x foaf:mbox ?e } }",
        "optional, nested": "SELECT ?x ?y ?e { ?x ex:city ex:city7 OPTIONAL { ?x foaf:knows ?y OPTIONAL { ?y foaf:mbox ?e } } }",
        "union of two": "SELECT ?x { { ?x ex:city ex:city7 } UNION { ?x ex:city ex:city9 } }",
        "union of big sides": "SELECT (COUNT(*) AS ?n) { { ?x foaf:age ?v } UNION { ?x ex:height ?v } }",
        "minus": "SELECT ?x { ?x foaf:age ?a MINUS { ?x foaf:mbox ?e } }",
        "exists": "SELECT ?x { ?x foaf:age ?a FILTER EXISTS { ?x foaf:mbox ?e } }",
        "not exists": "SELECT (COUNT(*) AS ?n) { ?x foaf:knows ?y FILTER NOT EXISTS { ?y foaf:knows ?x } }",
    },
    "DISTINCT": {
        "cities": "SELECT DISTINCT ?c { ?x ex:city ?c }",
        "predicates": "SELECT DISTINCT ?p { ?s ?p ?o }",
        "pairs": "SELECT DISTINCT ?c ?a { ?x ex:city ?c . ?x foaf:age ?a }",
        "friends of friends": "SELECT DISTINCT ?z { ?x ex:city ex:city7 . ?x foaf:knows ?y . ?y foaf:knows ?z }",
        "cities of friends": "SELECT DISTINCT ?c { ?x foaf:knows ?y . ?y ex:city ?c }",
        "subjects": "SELECT DISTINCT ?x { ?x foaf:knows ?y }",
    },
}
