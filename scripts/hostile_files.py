#!/usr/bin/env python3
"""Hostile files in place of every file that a command or an option takes.

Builds 104 files in a temporary folder (pipes, sockets, devices, circles of links, 2 GiB of
holes, single endless lines, cut files, names that are not UTF-8, folders, files without
permission) and gives each of them to every command. Prints a line for each command, and
those runs that crash, exceed the deadline by more than a second or use more than 300 MB.

usage: scripts/hostile_files.py [--enbu PROGRAM] [--only WORD] [--table FILE]
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

MOST_MB = 300
PATIENCE_S = 1.0
HEADS = {
    "kif": "手数----指手---------消費時間--\n   1 ７六歩(77)\n".encode(),
    "usi": b"startpos moves 7g7f 3c3d\n",
    "db": b"#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 30 12 9\n",
    "bin": bytes.fromhex("1632f37a") + b"\0" * 64,
    "games": b"ENBUGAME" + b"\1\0\0\0" + b"\xff" * 64,
    "toml": b'host = "localhost"\nuser = "a"\n',
}
GIB = 1 << 30


def sparse(path, head, length):
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(length)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def bind(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.relpath(path))  # Such names may have about 100 bytes.
    server.close()


def circle(path, _head):
    os.mkdir(path)
    write(os.path.join(path, b"a.usi"), HEADS["usi"])
    for name in (b"b", b"c"):
        os.symlink(b".", os.path.join(path, name))


def unreadable(path, head):
    write(path, head)
    os.chmod(path, 0)


def linked_circle(path, _head):
    os.symlink(path + b".other", path)
    os.symlink(path, path + b".other")


SHAPES = {
    "pipe": lambda path, head: os.mkfifo(path),
    "link to a pipe": lambda path, head: (os.mkfifo(path + b".pipe"), os.symlink(path + b".pipe", path)),
    "socket": lambda path, head: bind(path),
    "device zero": lambda path, head: os.symlink("/dev/zero", path),
    "device full": lambda path, head: os.symlink("/dev/full", path),
    "kernel log": lambda path, head: os.symlink("/proc/kmsg", path),
    "folder": lambda path, head: os.mkdir(path),
    "circle of links": linked_circle,
    "link to nothing": lambda path, head: os.symlink("nothing", path),
    "2 GiB of holes": lambda path, head: sparse(path, b"", 2 * GIB),
    "2 GiB after a head": lambda path, head: sparse(path, head, 2 * GIB),
    "one endless line": lambda path, head: write(path, head + b"x" * (48 << 20)),
    "empty": lambda path, head: write(path, b""),
    "cut": lambda path, head: write(path, head[: len(head) * 2 // 3]),
    "no permission": unreadable,
    "folder of circles": circle,
}
NAMES = {
    "not UTF-8": b"\x8b\xff\xfe.usi",
    "255 bytes": b"n" * 251 + b".usi",
    "line ends and escapes": b"a\n\x1b[2J\r.usi",
    "turned": "\u202ea.usi".encode(),
    "like an option": b"--force.usi",
    "4000 blanks in the text": b"blank.usi",
    "parent": b"..usi",
    "most bytes": bytes(range(1, 47)) + bytes(range(128, 256)) + b".usi",
}


def build(folder):
    """The hostile files: name in the table and path."""
    found = []
    for extension, head in HEADS.items():
        for number, (name, make) in enumerate(SHAPES.items()):
            path = os.path.join(folder, f"{number:02}.{extension}".encode())
            make(path, head)
            found.append((f"{name}, .{extension}", path))
    for name, file in NAMES.items():
        path = os.path.join(folder, file)
        write(path, HEADS["usi"] if "blanks" not in name else b"startpos moves" + b" " * 4000 + b"7g7f\n")
        found.append((f"name: {name}", path))
    return found


def inputs(good):
    """Commands that read FILE, with what they need beside it, and a deadline in seconds."""
    match = ["match", "--engine", "self", "name=a", "--engine", "self", "name=b", "--each", "option.USI_Hash=1",
             "--tc", "depth=1", "--games", "2", "--max-moves", "4", "--quiet"]
    train = ["train", "--out", "n.nnue", "--epochs", "1"]
    csa = ["csa", "--host", "127.0.0.1", "--port", "9", "--user", "a", "--retry", "1", "--games", "1",
           "--engine", "self", "option.USI_Hash=1"]
    return [
        (["convert", "FILE", "--to", "csa"], 5),
        (["convert", "FILE", "-o", "out/", "--to", "kifu", "--force"], 5),
        (["analyse", "FILE", "--nodes", "5", "--format", "json"], 8),
        (["analyse", "FILE", "-o", "report/", "--nodes", "5"], 8),
        (["analyse", good["usi"], "--nodes", "5", "--eval", "FILE"], 5),
        (["mate", "FILE"], 5),
        (["book", "make", "FILE", "-o", "b.db", "--force"], 5),
        (["book", "make", "self", "-o", "g.db", "--nodes", "10", "--positions", "2", "--state", "FILE"], 5),
        (["book", "make", "self", "-o", "g.db", "--merge", "FILE"], 5),
        (["book", "convert", "FILE", "-o", "b.ybb", "--force", "--skip-faults"], 5),
        (["book", "sort", "FILE", "-o", "s.db", "--force"], 5),
        (["book", "merge", "FILE", good["db"], "-o", "m.sbk", "--force"], 5),
        (["book", "prune", "FILE", "-o", "p.db", "--force"], 5),
        (["book", "verify", "FILE"], 5),
        (["book", "stats", "FILE"], 5),
        (["book", "show", "FILE"], 5),
        (["selfplay", "stats", "FILE"], 5),
        (["selfplay", "stats", good["games"], "--eval", "FILE"], 5),
        (["selfplay", "shuffle", "FILE", "--out", "s.psv"], 5),
        (["selfplay", "merge", "FILE", "--out", "m.games"], 5),
        (["selfplay", "export", "FILE", "--out", "e.hcpe"], 5),
        (["selfplay", "yardstick", "FILE", "--out", "y.games", "--nodes", "5"], 5),
        (["selfplay", "--out", "sp", "--games", "2", "--nodes", "5", "--starts", "FILE"], 5),
        ([*train, "FILE"], 8),
        ([*train, good["games"], "--start", "FILE"], 8),
        ([*train, good["games"], "--checkpoint", "FILE", "--resume"], 8),
        ([*train, good["games"], "--yardstick", "FILE"], 8),
        ([*match, "--openings", "FILE"], 8),
        ([*match, "--engines-file", "FILE"], 8),
        (["match", "--merge", "FILE"], 5),
        (["tune", "--show", "--state", "FILE"], 5),
        ([*csa, "--password-env", "HOME", "--config", "FILE"], 5),
        ([*csa, "--password-file", "FILE"], 5),
        (["bench", "--depth", "1", "--network", "FILE"], 5),
        (["doctor", "--only", "options-file,network,book,folders"], 8, "engine_options.txt"),
        (["usi", "EvalFile"], 5),
        (["usi", "BookFile"], 5),
        (["usi", "BookFile", "BookOnTheFly"], 5),
        (["usi", "DebugLogFile"], 5),
        (["usi", "CsaLogDir"], 5),
        (["usi"], 5, "engine_options.txt"),
        (["usi"], 5, "engine_name.txt"),
        # The file is the target.
        (["convert", good["usi"], "-o", "FILE", "--to", "kifu"], 5),
        (["convert", good["usi"], "-o", "FILE", "--to", "kifu", "--force"], 5),
        (["analyse", good["usi"], "--nodes", "5", "-o", "FILE", "--format", "kifu", "--force"], 5),
        (["analyse", good["usi"], "--nodes", "5", "--problems", "FILE", "--force"], 5),
        (["book", "make", good["usi"], "-o", "FILE", "--force"], 5),
        (["book", "sort", good["db"], "-o", "FILE", "--to", "db", "--force"], 5),
        ([*match, "--out", "FILE"], 8),
        ([*match, "--chart", "FILE", "--force"], 8),
        ([*match, "--log", "FILE"], 8),
        ([*match, "--csa", "FILE"], 8),
        (["openings", "random:4,300", "--count", "1", "--out", "FILE", "--force"], 8),
        (["selfplay", "--games", "2", "--nodes", "5", "--out", "FILE"], 5),
        (["man", "--out", "FILE"], 5),
        ([*csa, "--password-env", "HOME", "--records", "FILE"], 5),
        ([*csa, "--password-env", "HOME", "--log", "FILE"], 5),
        ([*csa, "--password-env", "HOME", "--trace", "FILE"], 5),
    ]


def usi_lines(options, path):
    lines = ["usi"]
    if options:
        lines.append(f"setoption name {options[0]} value {path}")
        lines += [f"setoption name {name} value true" for name in options[1:]]
    lines += ["setoption name USI_Hash value 16", "isready", "usinewgame", "position startpos", "go depth 1"]
    return lines


def limits(user):
    """Runs as nobody where permissions count; bounds the address space, as a last net."""
    os.setsid()
    if user:
        os.setgid(65534)
        os.setuid(65534)


def run(command, deadline, folder, user, given):
    """Exit code (`None`: killed), seconds, peak MB and output."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as into:
        into.write(given)
        into.seek(0)
        child = subprocess.Popen(command, cwd=folder, stdin=into, stdout=out, stderr=subprocess.STDOUT,
                                 preexec_fn=lambda: limits(user), env={**os.environ, "RUST_BACKTRACE": "0"})
        code, usage = None, None
        while usage is None:
            done, status, used = os.wait4(child.pid, os.WNOHANG)
            if done:
                code, usage = os.waitstatus_to_exitcode(status), used
            elif time.monotonic() - begin > deadline + PATIENCE_S:
                os.killpg(child.pid, signal.SIGKILL)
                usage = os.wait4(child.pid, 0)[2]
            else:
                time.sleep(0.002)
        child.returncode = 0
        seconds = time.monotonic() - begin
        out.seek(0)
        return code, seconds, usage.ru_maxrss / 1024, out.read(1 << 16)


def verdict(code, mb, output, is_usi):
    if code is None:
        return "HANG"
    if code < 0 or code == 101 or b"panicked" in output:
        return "CRASH"
    if mb > MOST_MB:
        return "MEMORY"
    if is_usi and not all(word in output for word in (b"usiok", b"readyok", b"bestmove")):
        return "SILENT"
    return "done" if code == 0 else "refused"


def good_files(enbu, folder):
    good = {name: os.path.join(folder, f"good.{name}") for name in ("usi", "db")}
    for name, path in good.items():
        write(path, HEADS[name])
    subprocess.run([enbu, "selfplay", "--games", "4", "--nodes", "20", "--out", os.path.join(folder, "sp")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    good["games"] = os.path.join(folder, "sp")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--enbu", default="target/release/enbu")
    parser.add_argument("--only", default="", help="only commands with this word")
    parser.add_argument("--table", help="file for a line of each run")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hf") as top:
        os.chmod(top, 0o755)
        enbu = os.path.join(top, "enbu")
        shutil.copy(args.enbu, enbu)
        good = good_files(enbu, top)
        table = open(args.table, "w") if args.table else None
        bad, runs = [], 0
        for entry in inputs(good):
            command, deadline, beside = (*entry, None)[:3]
            name = " ".join(os.path.basename(word) if "/" in word and word.startswith("/") else word for word in command)
            name = f"{name} ({beside})" if beside else name
            if args.only not in name:
                continue
            counts, slowest, largest = {}, (0, ""), (0, "")
            work = os.path.join(top, "w")
            os.mkdir(work)
            os.chdir(work)
            for number, (label, path) in enumerate(build(os.fsencode(work))):
                place = os.path.join(top, f"r{number}")
                os.mkdir(place)
                os.chmod(place, 0o777)
                user = "no permission" in label and os.geteuid() == 0
                program, given = enbu, b""
                if beside:
                    program = os.path.join(place, "enbu")
                    os.link(enbu, program)
                    os.symlink(path, os.path.join(place, beside))
                if command[0] == "usi":
                    options = command[1:]
                    given = b"\n".join(os.fsencode(line) for line in usi_lines(options, os.fsdecode(path))) + b"\n"
                    words = [program]
                else:
                    words = [program, *(path if word == "FILE" else word for word in command)]
                code, seconds, mb, output = run(words, deadline, place, user, given)
                found = verdict(code, mb, output, command[0] == "usi" and b"\n" not in path)
                counts[found] = counts.get(found, 0) + 1
                slowest, largest = max(slowest, (seconds, label)), max(largest, (mb, label))
                if table:
                    print(name, label, found, code, f"{seconds:.2f}", f"{mb:.0f}", sep="\t", file=table, flush=True)
                if found.isupper():
                    bad.append(f"{found}: {name}: {label}: {code} {seconds:.1f} s {mb:.0f} MB {output[-300:]!r}")
                    print(bad[-1], flush=True)
                runs += 1
                subprocess.run(["chmod", "-R", "u+rwX", place], stderr=subprocess.DEVNULL)
                shutil.rmtree(place, ignore_errors=True)
            os.chdir(top)
            shutil.rmtree(work, ignore_errors=True)
            print(f"{name}: {counts}, slowest {slowest[0]:.2f} s ({slowest[1]}), largest {largest[0]:.0f} MB ({largest[1]})",
                  flush=True)
        print(f"{runs} runs, {len(bad)} findings")
        sys.exit(bool(bad))


if __name__ == "__main__":
    main()
