"""redoctl backup, restore, check: a store as a whole."""

import hashlib
import os
import re
import shutil
import stat
import threading

from ctl import Folder, Rpc, Setting, Skip, begin_example, redoctl, run


def good(*args):
    """What it prints, of a run in which all goes well."""
    result = redoctl(*args)
    assert result.status == 0 and result.err == "", result
    return result.out


def flip(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))


def state(i, j):
    """Of position j of session i: bytes that can be found in the store's file."""
    return hashlib.sha256(b"%d %d" % (i, j)).digest() * 2


def fill(s, count=8):
    """Sessions with sixty positions each."""
    for i in range(count):
        s.begin("session-%d" % i, state(i, 0))
        for j in range(60):
            s.add("session-%d" % i, j, 1, state(i, j + 1), check=0)


# ---- backup and restore


def test_a_backup_is_restored_to_a_new_store():
    with Setting(stored=True) as s:
        begin_example(s, "a")
        s.begin("gone")
        s.output("delete", "gone")
        before = s.dump("a")
        file = s.folder / "b"
        out = s.output("backup", file)
        assert out == "%d bytes in %s\n" % (os.path.getsize(file), os.path.realpath(file)), out
        assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
        s.add("a", 0, 50, b"\x32")
        store = s.folder / "deep/er/store"
        assert good("restore", file, "--store", store) == \
            "restored 2 sessions to %s\n" % store
        assert stat.S_IMODE(os.stat(store).st_mode) == 0o700
        assert sorted(os.listdir(store)) == ["lock", "redo-1.db"]
        s.end_daemon()
        s.begin_daemon(store)
        assert s.output("list", "--names") == "a\n" and s.dump("a") == before
        assert "gone" in s.output("trash")


def test_a_backup_under_load_has_each_session_as_it_was_at_one_moment():
    with Setting(stored=True) as s:
        adds, stop = {}, threading.Event()
        for name in ("a", "b", "c"):
            s.begin(name)

        def write(name):
            with Rpc(s.socket) as rpc:
                count = 0
                while not stop.is_set():
                    count = rpc.call("addposition", name, count, 1, bytes([count % 251]), 0,
                                     0)["number"]
                    adds[name] = count

        threads = [threading.Thread(target=write, args=(name,)) for name in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        try:
            while len(adds) < 3 or min(adds.values()) < 20:
                stop.wait(0.01)
            least = dict(adds)
            s.output("backup", s.folder / "b")
            most = dict(adds)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        whole = {name: [p["state"] for p in s.rpc.call("getpositions", name, {
            "states": True, "limit": 10000})["positions"]] for name in adds}
        good("restore", s.folder / "b", "--store", s.folder / "store-2")
        s.end_daemon()
        s.begin_daemon(s.folder / "store-2")
        for name in adds:
            restored = [p["state"] for p in s.rpc.call("getpositions", name, {
                "states": True, "limit": 10000})["positions"]]
            assert least[name] <= len(restored) - 1 <= most[name] + 1
            assert restored == whole[name][:len(restored)]


def test_a_backup_goes_to_where_redoctl_runs_and_replaces_nothing_unasked():
    with Setting(stored=True) as s, Folder() as here:
        s.begin("a")
        before = os.getcwd()
        os.chdir(here.path)
        try:
            from ctl import REDOCTL  # may be relative
            if not os.path.isabs(REDOCTL):
                return
            s.output("backup", "b")
            assert os.listdir(here.path) == ["b"]
            s.begin("b")
            result = s("backup", "b")
            assert result.status == 1 and "--force" in result.err, result
            old = open("b", "rb").read()
            s.output("backup", "--force", "./b")
            assert open("b", "rb").read() != old
        finally:
            os.chdir(before)


def test_a_backup_that_can_not_be_is_told():
    with Setting(stored=True) as s:
        for file, words in ((s.folder / "none/b", "No such file"), (s.folder / "", "not a file"),
                            (s.folder / "..", "not a file")):
            result = s("backup", file)
            assert result.status == 1 and words in result.err, result
    with Setting() as s:
        result = s("backup", s.folder / "b")
        assert result.status == 1 and "store" in result.err, result
        assert not os.path.exists(s.folder / "b")


def test_a_store_that_is_there_is_not_written_over():
    with Setting(stored=True) as s:
        s.begin("a")
        s.output("backup", s.folder / "b")
        result = redoctl("restore", s.folder / "b", "--store", s.store)
        assert result.status == 1, result
        assert "process %d" % s.daemon.pid in result.err and "--store" in result.err, result
        s.end_daemon()
        before = sorted(os.listdir(s.store))
        result = redoctl("restore", s.folder / "b", "--store", s.store)
        assert result.status == 1 and "has a store already" in result.err, result
        assert sorted(os.listdir(s.store)) == before


def test_root_leaves_the_files_of_a_store_to_its_owner():
    if os.geteuid() != 0:
        raise Skip("not root")
    with Setting(stored=True) as s:
        s.begin("a")
        s.output("backup", s.folder / "b")
        os.chmod(s.folder.path, 0o755)
        os.chmod(s.folder / "b", 0o644)
        store = s.folder / "owned"
        os.mkdir(store, 0o700)
        os.chown(store, 65534, 65534)
        good("restore", s.folder / "b", "--store", store)
        good("check", "--repair", "--store", store)
        assert {os.stat(os.path.join(store, name)).st_uid for name in os.listdir(store)} == {65534}


def test_what_is_no_backup_or_damaged_is_not_restored():
    with Setting(stored=True) as s:
        fill(s)
        s.output("backup", s.folder / "b")
        size = os.path.getsize(s.folder / "b")
        for number, harm in enumerate((lambda f: flip(f, size // 2),
                                       lambda f: os.truncate(f, size - 4096),
                                       lambda f: os.truncate(f, 100),
                                       lambda f: open(f, "wb").write(b"no backup" * 1000))):
            file, store = s.folder / "harmed", s.folder / "new"
            shutil.copy(s.folder / "b", file)
            harm(file)
            result = redoctl("restore", file, "--store", store)
            assert result.status == 1 and "damaged" in result.err, (number, result)
            assert not os.path.exists(store)
        result = redoctl("restore", s.folder / "none", "--store", store)
        assert result.status == 1 and "No such file" in result.err, result
        assert not os.path.exists(store)
        good("restore", s.folder / "b", "--store", store)


# ---- check


def test_a_whole_store_is_whole():
    with Setting(stored=True) as s:
        fill(s, 2)
        result = redoctl("check", "--store", s.store)
        assert result.status == 1 and "process %d" % s.daemon.pid in result.err, result
        assert "backup" in result.err
        s.output("delete", "session-1")
        s.end_daemon()
        before = open(os.path.join(s.store, "redo-1.db"), "rb").read()
        assert good("check", "--store", s.store) == \
            "whole    session-0\nwhole    session-1 (in the trash)\n" \
            "2 sessions whole, 0 damaged\n"
        assert sorted(os.listdir(s.store)) == ["lock", "redo-1.db"]
        assert open(os.path.join(s.store, "redo-1.db"), "rb").read() == before


def test_where_there_is_no_store_none_is_made():
    with Folder() as folder:
        for store in (folder.path, folder / "none"):
            result = redoctl("check", "--store", store)
            assert result.status == 1 and "there is no store in" in result.err, result
        assert os.listdir(folder.path) == []


def damage_one(s, position=30):
    """Ends the daemon, and flips a byte of the state of a position of session-3. The dumps before, by
    name."""
    dumps = {"session-%d" % i: s.dump("session-%d" % i) for i in range(8)}
    s.end_daemon()
    path = os.path.join(s.store, "redo-1.db")
    data = open(path, "rb").read()
    at = data.find(state(3, position)[:20])
    assert at > 0
    flip(path, at)
    return dumps


def test_a_flipped_byte_is_found_and_nothing_is_changed():
    with Setting(stored=True) as s:
        fill(s)
        damage_one(s)
        before = {name: open(os.path.join(s.store, name), "rb").read()
                  for name in os.listdir(s.store) if name != "lock"}
        result = redoctl("check", "--store", s.store)
        assert result.status == 1 and "check --repair" in result.err, result
        assert re.search(r"^damaged  session-3: .* a repair keeps operations up to \d+",
                         result.out, re.M), result
        assert "pages of the files that are damaged: 1" in result.out
        after = {name: open(os.path.join(s.store, name), "rb").read()
                 for name in os.listdir(s.store) if name != "lock"}
        assert after == before


def test_a_repaired_store_is_whole_and_served_again():
    with Setting(stored=True) as s:
        fill(s)
        dumps = damage_one(s)
        result = redoctl("check", "--repair", "--store", s.store)
        assert result.status == 0 and "repaired" in result.out, result
        assert re.search(r"^damaged  session-3: ", result.out, re.M), result
        assert "redo-1.db" in os.listdir(s.store)  # what was damaged is kept
        again = good("check", "--store", s.store)
        assert re.search(r"^whole    session-3: was damaged before", again, re.M), again
        s.begin_daemon()
        told = dict((row.split()[8], row.split()[5])
                    for row in s.output("list").splitlines()[1:])
        for name, dump in dumps.items():
            if name == "session-3" or told[name] == "yes":
                continue
            assert s.dump(name) == dump, name
        assert told["session-3"] == "yes"
        count = s.rpc.call("getsessionsize", "session-3")
        assert s.rpc.call("addposition", "session-3", 0, 9, b"x" * 64, 0, 0)["new"]
        assert count >= 1


def test_a_session_of_which_nothing_is_whole_is_told_and_no_trouble_to_others():
    with Setting(stored=True) as s:
        fill(s)
        dumps = damage_one(s, position=0)
        result = redoctl("check", "--repair", "--store", s.store)
        assert result.status == 1 and "nothing is whole: 1." in result.err, result
        assert re.search(r"^damaged  session-3: no snapshot .* none of its operations of 61$",
                         result.out, re.M), result
        s.begin_daemon()
        for name, dump in dumps.items():
            if name != "session-3":
                assert s.dump(name) == dump, name


def test_a_store_cut_between_two_pages_is_damaged_and_can_be_repaired():
    with Setting(stored=True) as s:
        s.begin("a")
        for i in range(20):
            s.rpc.call("addposition", "a", i, 1, bytes([i]) * s.rpc.call("getsession", "a")["size"],
                       0, 1)
        s.end_daemon()
        whole = open(os.path.join(s.store, "redo-1.db"), "rb").read()
        for size in range(0, len(whole), 1024):
            store = s.folder / ("cut-%d" % size)
            os.mkdir(store)
            with open(os.path.join(store, "redo-1.db"), "wb") as file:
                file.write(whole[:size])
            result = redoctl("check", "--store", store)
            assert result.status == 1 and os.listdir(store).count("redo-1.db") == 1, (size, result)
            repaired = redoctl("check", "--repair", "--store", store)
            assert repaired.status == 0 or "nothing is whole" in repaired.err, (size, repaired)
            assert open(os.path.join(store, "redo-1.db"), "rb").read() == whole[:size]


run()
