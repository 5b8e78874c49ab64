"""Answers queries with pyoxigraph, the protocol of query_speed.cc. Runs under the peers' Python.

usage: query_peer.py FILE.nt memory|FOLDER
"""
import os
import shutil
import sys
import time

import pyoxigraph

TSV = pyoxigraph.QueryResultsFormat.TSV


def answer(store, query):
    return store.query(query).serialize(format=TSV)


def main(source, place):
    if place == "memory":
        store = pyoxigraph.Store()
    else:
        there = os.path.exists(place)
        store = pyoxigraph.Store(place)
    if place == "memory" or not there:
        store.bulk_load(path=source)
    if place != "memory":
        store.optimize()
    print("ready", flush=True)
    for line in sys.stdin:
        rounds, seconds, path, query = line.rstrip("\n").split("\t", 3)
        try:
            text = answer(store, query)
            if path != "-":
                with open(path, "wb") as file:
                    file.write(text)
            rows = max(1, text.count(b"\n") - (text.startswith(b"?") or text.startswith(b"\n")))
            times = []
            while not times or (len(times) < int(rounds) and sum(times) < float(seconds)):
                begin = time.perf_counter()
                answer(store, query)
                times.append(time.perf_counter() - begin)
            print(f"{rows}\t{' '.join(str(t * 1000) for t in times)}", flush=True)
        except (ValueError, OSError, RuntimeError) as error:
            print("error\t" + str(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
