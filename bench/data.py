#!/usr/bin/env python3
"""Writes the data of the benchmarks: made up, and the same bytes every time for the same arguments.

usage: data.py people|shop|nodes|town TRIPLES FILE [SEED]
  people  persons with names, ages, mails, cities, acquaintances: 10 triples each, half of them literals
  shop    schema.org products, offers, reviews, shops: types, prices, dates, texts in two languages
  nodes   short IRIs only, spread at random
  town    persons in cities, regions and countries, classes in a tree, a net of acquaintances with many triangles and
          circles of 1,000: what the shapes of query_shapes.py ask
"""
import random
import sys

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
FOAF = "http://xmlns.com/foaf/0.1/"
SCHEMA = "https://schema.org/"
EX = "http://example.org/"

FIRST = ["Ada", "Bea", "Chidi", "Dmitri", "Elif", "Farid", "Grace", "Hanna", "Ivo", "Jun", "Katarína", "Łukasz", "Mei", "Nour", "Olga", "Pia"]
LAST = ["Lindqvist", "Moreau", "Okonkwo", "Okafor", "Aydın", "Haddad", "Nakamura", "Kowalczyk", "Petrov", "Castellanos", "Øst", "Ferreira"]
WORDS = ("the of and to in a is for on with light heavy small large blue green wooden steel quiet fast old new made by hand from "
         "northern lake stone paper cotton glass warm cold simple strong thin wide round field garden kitchen winter summer").split()


def people(triples, r):
    """Yields lines; stops after exactly `triples`."""
    count = max(1, triples // 10)
    per_person = 10
    for i in range(count + 1):
        s = f"<{EX}person/{i}>"
        first, last = r.choice(FIRST), r.choice(LAST)
        yield f"{s} <{RDF}type> <{FOAF}Person> .\n"
        yield f'{s} <{FOAF}name> "{first} {last}" .\n'
        yield f'{s} <{RDFS}label> "{first} {last} ({i})"@en .\n'
        yield f'{s} <{FOAF}age> "{r.randrange(18, 95)}"^^<{XSD}integer> .\n'
        yield f'{s} <{EX}height> "{r.randrange(150, 200) / 100:.2f}"^^<{XSD}decimal> .\n'
        yield f'{s} <{FOAF}mbox> <mailto:{first[0].lower() if first[0].isascii() else "x"}{i}@example.org> .\n'
        yield f"{s} <{EX}livesIn> <{EX}city/{int(r.paretovariate(0.9)) % 5000}> .\n"
        for _ in range(per_person - 7):
            yield f"{s} <{FOAF}knows> <{EX}person/{r.randrange(count)}> .\n"


def sentence(r):
    return " ".join(r.choices(WORDS, k=r.randrange(6, 30)))


def shop(triples, r):
    for i in range(triples):
        p, o = f"<{EX}product/{i}>", f"<{EX}product/{i}#offer>"
        maker = int(r.paretovariate(0.8)) % 2000
        yield f"{p} <{RDF}type> <{SCHEMA}Product> .\n"
        yield f'{p} <{SCHEMA}name> "{r.choice(WORDS).title()} {r.choice(WORDS)} {i}"@en .\n'
        yield f'{p} <{SCHEMA}description> "{sentence(r)}"@en .\n'
        yield f'{p} <{SCHEMA}description> "{sentence(r)}"@de .\n'
        yield f'{p} <{SCHEMA}sku> "{r.randrange(16**8):08X}" .\n'
        yield f"{p} <{SCHEMA}manufacturer> <{EX}maker/{maker}> .\n"
        yield f"{p} <{SCHEMA}offers> {o} .\n"
        yield f"{o} <{RDF}type> <{SCHEMA}Offer> .\n"
        yield f'{o} <{SCHEMA}price> "{r.randrange(100, 99999) / 100:.2f}"^^<{XSD}decimal> .\n'
        yield f'{o} <{SCHEMA}priceCurrency> "{r.choice(["EUR", "SEK", "JPY", "NGN"])}" .\n'
        yield f"{o} <{SCHEMA}availability> <{SCHEMA}{r.choice(['InStock', 'OutOfStock', 'PreOrder'])}> .\n"
        yield f'{o} <{SCHEMA}validFrom> "{r.randrange(2019, 2026)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"^^<{XSD}date> .\n'
        for k in range(r.randrange(3)):
            v = f"<{EX}product/{i}#review{k}>"
            yield f"{v} <{SCHEMA}itemReviewed> {p} .\n"
            yield f"{v} <{SCHEMA}author> <{EX}person/{int(r.paretovariate(0.7)) % 100000}> .\n"
            yield f'{v} <{SCHEMA}reviewRating> "{r.randrange(1, 6)}"^^<{XSD}integer> .\n'
            yield f'{v} <{SCHEMA}reviewBody> "{sentence(r)}, \\"{r.choice(WORDS)}\\"."@en .\n'


def nodes(triples, r):
    size = max(10, triples // 4)
    for _ in range(triples):
        yield f"<{EX}n{r.randrange(size)}> <{EX}p{r.randrange(40)}> <{EX}n{r.randrange(size)}> .\n"


def town(triples, r):
    persons = max(1_000, triples // 10)
    cities = persons // 100
    for i in range(1, 40):
        yield f"<{EX}class{i}> <{RDFS}subClassOf> <{EX}class{(i - 1) // 3}> .\n"
    for i in range(cities):
        yield f"<{EX}city{i}> <{EX}partOf> <{EX}region{i % 200}> .\n"
        yield f'<{EX}city{i}> <{FOAF}name> "City {i}" .\n'
    for i in range(200):
        yield f"<{EX}region{i}> <{EX}partOf> <{EX}country{i % 20}> .\n"
    for i in range(persons * 11 // 10):
        s = f"<{EX}person{i}>"
        yield f"{s} <{RDF}type> <{EX}class{r.randrange(13, 40)}> .\n"
        yield f'{s} <{FOAF}name> "{r.choice(FIRST)} {r.choice(LAST)} {i % (persons // 4)}" .\n'
        yield f'{s} <{FOAF}age> "{r.randrange(18, 95)}"^^<{XSD}integer> .\n'
        yield f'{s} <{EX}height> "{r.randrange(15000, 20000) / 10000:.4f}"^^<{XSD}decimal> .\n'
        yield f'{s} <{EX}born> "{r.randrange(1930, 2008)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"^^<{XSD}date> .\n'
        yield f"{s} <{EX}city> <{EX}city{int(r.paretovariate(0.3)) % cities}> .\n"
        yield f"{s} <{EX}next> <{EX}person{i + 1 if i % 1000 != 999 else i - 999}> .\n"
        if r.random() < 0.1:
            yield f"{s} <{FOAF}mbox> <mailto:{i}@example.org> .\n"
        if r.random() < 0.3:
            yield f'{s} <{EX}note> "{sentence(r)}"@en .\n'
        for _ in range(r.randrange(1, 5)):
            friend = i + r.randrange(-20, 21) if r.random() < 0.5 else r.randrange(persons)
            yield f"{s} <{FOAF}knows> <{EX}person{friend % persons}> .\n"


KINDS = {"people": people, "shop": shop, "nodes": nodes, "town": town}


def write(kind, triples, path, seed=1):
    """Exactly `triples` lines."""
    r = random.Random(f"{kind} {seed}")
    left = triples
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as file:
        for line in KINDS[kind](triples, r):
            if left == 0:
                break
            file.write(line)
            left -= 1


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else 1)
