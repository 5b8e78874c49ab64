"""weft lance over the golden tables, which engines wrote: rows of every version, branch and position,
schemas, versions, what is refused, and damage."""
import datetime
import json
import os
import shutil
import struct

from driver import CORRUPT, INVALID, NOT_FOUND, Checks, need_testdata, need_weft, read, scratch, weft, write

need_weft()
golden = need_testdata("lance-golden")
checks = Checks()
EPOCH = datetime.datetime(1970, 1, 1)
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def unit_of(arrow_type):
    return arrow_type[arrow_type.index("[") + 1 :].rstrip("]").split(",")[0]


def shown(value, arrow_type):
    """What the program prints for a recorded value."""
    if value is None:
        return None
    kind = arrow_type.split("[")[0]
    if kind == "date32":
        return (EPOCH + datetime.timedelta(days=value)).date().isoformat()
    if kind in ("timestamp", "date64", "time32", "time64"):
        digits = DIGITS[unit_of(arrow_type)]
        seconds, fraction = divmod(value, 10**digits)
        text = (EPOCH + datetime.timedelta(seconds=seconds)).isoformat()
        text = text[11:] if kind.startswith("time") and kind != "timestamp" else text
        return text + (f".{fraction:0{digits}}" if digits else "") + ("Z" if "tz=" in arrow_type else "")
    return value


def same(got, want, arrow_type):
    if isinstance(want, float) or isinstance(got, float):
        if not isinstance(got, (int, float)) or not isinstance(want, (int, float)):
            return got == want
        as_float = (lambda x: struct.unpack("<f", struct.pack("<f", x))[0]) if "double" not in arrow_type else float
        return as_float(got) == as_float(want)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want, [arrow_type] * len(want)))
    if isinstance(want, dict):
        # Members of a struct may be of another width than the others: both forms are tried.
        return isinstance(got, dict) and list(got) == list(want) and all(
            same(got[k], want[k], "float") or same(got[k], want[k], "double") for k in want)
    return type(got) is type(want) and got == want


def lines(done):
    return [json.loads(line) for line in done.text.splitlines()]


def compare_rows(rows, want, fields, what):
    values, types = want["values"], {name: arrow_type for name, arrow_type, _ in fields}
    if not checks.equal(len(rows), want["rows"], f"{what}: rows"):
        return
    for name, column in values.items():
        arrow_type = types.get(name, "")
        wrong = next((i for i, row in enumerate(rows) if name not in row or not same(row[name], shown(column[i], arrow_type), arrow_type)), None)
        checks.that(wrong is None, f"{what}, {name}", wrong is not None and f"row {wrong}: {rows[wrong].get(name)!r}, wanted {column[wrong]!r}")


def versions(name, folder, want):
    listed = weft("lance", "versions", folder, "--json").json()["versions"]
    checks.that({int(v) for v in want["versions"]} <= {v["version"] for v in listed}, f"{name}: versions", listed)
    checks.equal(listed[-1]["version"], want["latest"], f"{name}: latest")
    for number, version in want["versions"].items():
        what = f"{name} at {number}"
        done = weft("lance", "scan", folder, "--version", number, "--json")
        if not checks.code(done, 0, what):
            continue
        compare_rows(lines(done), version, version["fields"], what)
        info = weft("lance", "info", folder, "--version", number, "--json").json()
        checks.equal((info["rows"], info["columns"], info["version"]), (version["rows"], len(version["fields"]), int(number)), f"{what}: info")
        schema = weft("lance", "schema", folder, "--version", number, "--json").json()["fields"]
        checks.equal([(f["name"], f["nullable"]) for f in schema], [(n, null) for n, _, null in version["fields"]], f"{what}: schema")
        found = weft("lance", "verify", folder, "--version", number, "--json")
        if checks.code(found, 0, f"{what}: verify"):
            checks.equal((found.json()["ok"], found.json()["rows"]), (True, version["rows"]), f"{what}: verified")


def positions(name, folder, want):
    """Rows by position, columns chosen, limits."""
    latest = want["versions"].get(str(want["latest"]))
    if not latest or latest["rows"] < 3 or len(latest["fields"]) < 2:
        return
    fields = [latest["fields"][-1], latest["fields"][0]]
    chosen = ",".join(field[0] for field in fields)
    rows = [latest["rows"] - 1, 0, 1, 0]
    picked = {"rows": len(rows), "values": {f[0]: [latest["values"][f[0]][r] for r in rows] for f in fields}}
    done = weft("lance", "take", folder, "--columns", chosen, "--rows", ",".join(map(str, rows)), "--json")
    if checks.code(done, 0, f"{name}: take"):
        got = lines(done)
        compare_rows(got, picked, fields, f"{name}: take")
        checks.equal(list(got[0]), [f[0] for f in fields], f"{name}: columns in the order asked for")
    part = {"rows": 2, "values": {f[0]: latest["values"][f[0]][1:3] for f in fields}}
    done = weft("lance", "scan", folder, "--columns", chosen, "--offset", 1, "--limit", 2, "--json")
    if checks.code(done, 0, f"{name}: part"):
        compare_rows(lines(done), part, fields, f"{name}: part")
    table = weft("lance", "scan", folder, "--limit", 2).text.splitlines()
    checks.equal(len(table), 4, f"{name}: header, rule and two rows")
    checks.code(weft("lance", "take", folder, "--rows", latest["rows"]), INVALID, f"{name}: a row beyond the last")


def branches(name, folder, want):
    fields = want["versions"][str(want["latest"])]["fields"]
    for branch, rows in want.get("branches", {}).items():
        done = weft("lance", "scan", folder, "--branch", branch, "--json")
        if checks.code(done, 0, f"{name}@{branch}"):
            compare_rows(lines(done), rows, fields, f"{name}@{branch}")
        checks.code(weft("lance", "verify", folder, "--branch", branch), 0, f"{name}@{branch}: verify")


def damaged(folder):
    """One byte of a page changed, a file cut, a file gone: verify names the file."""
    source = os.path.join(golden, "strings_22")
    damages = {
        "a byte of a chunk": lambda b: b[:70] + bytes([b[70] ^ 0xFF]) + b[71:],
        "a cut file": lambda b: b[:-17],
        "an empty file": lambda b: b"",
        "a footer": lambda b: b[:-1] + b"X",
    }
    for what, damage in damages.items():
        table = os.path.join(folder, f"damaged{len(os.listdir(folder))}")
        shutil.copytree(source, table)
        name = sorted(os.listdir(os.path.join(table, "data")))[0]
        path = os.path.join(table, "data", name)
        write(path, damage(read(path)))
        done = weft("lance", "verify", table)
        if what == "a byte of a chunk" and done.code == 0:
            continue  # Lance has no checksums: a changed letter is a letter
        checks.code(done, CORRUPT, f"verify, {what}")
        checks.that(name in done.errors, f"verify, {what}: the file is named", done)
    table = os.path.join(folder, "gone")
    shutil.copytree(source, table)
    name = os.listdir(os.path.join(table, "data"))[0]
    os.remove(os.path.join(table, "data", name))
    done = weft("lance", "verify", table)
    checks.code(done, (CORRUPT, NOT_FOUND), "verify, a data file is gone")
    checks.that(name in done.errors, "verify, the file that is gone is named", done)
    torn = os.path.join(folder, "torn")
    shutil.copytree(source, torn)
    manifest = os.path.join(torn, "_versions", sorted(os.listdir(os.path.join(torn, "_versions")))[0])
    write(manifest, b"")
    done = weft("lance", "info", torn)
    checks.code(done, CORRUPT, "an empty newest manifest")
    checks.that("previous=" in done.errors or "version=" in done.errors, "the torn version is named", done)


def refusals(folder):
    cases = [
        (["scan", os.path.join(folder, "absent")], NOT_FOUND), (["info", os.path.join(golden, "rowids_22"), "--version", "99"], NOT_FOUND),
        (["scan", os.path.join(golden, "rowids_22"), "--columns", "id,nope"], NOT_FOUND),
        (["scan", os.path.join(golden, "rowids_22"), "--branch", "nope"], NOT_FOUND),
        (["scan", "s3://bucket/table"], INVALID), (["take", os.path.join(golden, "rowids_22"), "--rows", "-1"], INVALID),
        (["scan"], INVALID), ([], INVALID), (["info", golden], NOT_FOUND),
    ]
    for arguments, code in cases:
        done = weft("lance", *arguments)
        checks.code(done, code, f"lance {' '.join(arguments)}")
        checks.that(done.out == b"", f"lance {' '.join(arguments)}: nothing on standard output", done)


os.chdir(golden)  # base paths of one table's branches are relative
for file in sorted(os.listdir(golden)):
    if not file.endswith(".expect.json"):
        continue
    table_name = file[: -len(".expect.json")]
    table_folder = table_name if os.path.isdir(table_name) else table_name + ".lance"
    with open(file, encoding="utf-8") as recorded:
        expected = json.load(recorded)
    if "refuse" in expected:
        refused = weft("lance", "scan", table_folder, "--json")
        checks.code(refused, INVALID, f"{table_name}: refused")
        checks.that("unsupported" in refused.errors and refused.out == b"", f"{table_name}: refused by name", refused)
        continue
    versions(table_name, table_folder, expected)
    positions(table_name, table_folder, expected)
    branches(table_name, table_folder, expected)
with scratch("lance-cli") as scratch_folder:
    damaged(scratch_folder)
    refusals(scratch_folder)
checks.finish()
