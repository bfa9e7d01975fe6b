"""The embedded servers keep data over kill -9, clear up after themselves, and are reached by nobody else."""

import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import redis
import sqlalchemy
from kombu import Connection
from sextant_run.folders import FolderError
from sextant_run.servers import PostgresServer, ValkeyServer, running, temporary_postgres, temporary_valkey
from sextant_run.servers.base import ServerError


def _postgres(folder: Path) -> PostgresServer:
    return PostgresServer(data=folder / "pg" / "cluster", sockets=folder / "s")


def _valkey(folder: Path) -> ValkeyServer:
    return ValkeyServer(data=folder / "valkey", socket=folder / "s" / "valkey.sock")


def test_postgres_keeps_committed_rows_over_kill_9(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    server.prepare()
    with running(server, tmp_path / "log") as child:
        session = psycopg.connect(server.conninfo)
        assert session.execute("SHOW fsync").fetchone() == ("on",)
        session.execute("CREATE TABLE kept (n int)")
        session.execute("INSERT INTO kept VALUES (7)")
        session.commit()
        session.execute("INSERT INTO kept VALUES (8)")  # never committed
        child.kill()
        child.wait()
        session.close()
    server.prepare()  # what `make up` does next: postmaster.pid of the killed one is still there
    with running(server, tmp_path / "log"), psycopg.connect(server.conninfo) as session:
        assert session.execute("SELECT n FROM kept").fetchall() == [(7,)]


def test_postgres_starts_though_a_stranger_has_the_killed_ones_pid(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    server.prepare()
    (server.data / "postmaster.pid").write_text(f"{psutil.Process().pid}\n{server.data}\n")  # this test is no postgres
    server.prepare()
    with running(server, tmp_path / "log"):
        assert server.ready()


def test_a_lock_of_a_living_postgres_stays(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    server.prepare()
    with running(server, tmp_path / "log"):
        server.prepare()
        assert (server.data / "postmaster.pid").exists()


def test_an_interrupted_initdb_is_done_again(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    half = server.data.with_name("cluster.new")
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    server.prepare()
    with running(server, tmp_path / "log"):
        assert server.ready()
    assert not half.exists()


def test_postgres_listens_on_a_private_socket_only(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    server.prepare()
    with running(server, tmp_path / "log") as child:
        assert psutil.Process(child.pid).net_connections("tcp") == []
        assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
        assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700


def test_postgres_without_a_cluster_says_why_it_did_not_start(tmp_path: Path) -> None:
    server = _postgres(tmp_path)
    with pytest.raises(ServerError, match="postgres ended with"), running(server, tmp_path / "log"):
        pass


def test_valkey_keeps_the_queue_over_kill_9(tmp_path: Path) -> None:
    server = _valkey(tmp_path)
    server.prepare()
    with running(server, tmp_path / "log") as child:
        client = redis.Redis.from_url(server.url)
        client.rpush("queue", "operation 12")
        assert client.execute_command("WAITAOF", 1, 0, 5000)[0] == 1
        child.kill()
        child.wait()
        client.close()
    server.prepare()
    with running(server, tmp_path / "log"):
        client = redis.Redis.from_url(server.url)
        assert client.lrange("queue", 0, -1) == [b"operation 12"]
        client.close()


def test_valkey_in_an_installation_has_no_port(tmp_path: Path) -> None:
    server = _valkey(tmp_path)
    server.prepare()
    with running(server, tmp_path / "log") as child:
        assert psutil.Process(child.pid).net_connections("tcp") == []
        with Connection(server.celery_url) as broker:
            broker.SimpleQueue("q").put({"id": 1})
            assert broker.SimpleQueue("q").get(timeout=60).payload == {"id": 1}


def test_temporary_postgres_serves_sqlalchemy_and_leaves_nothing() -> None:
    with temporary_postgres() as url:
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as session:
            folder = Path(session.execute(sqlalchemy.text("SHOW data_directory")).scalar_one()).parent
            pid = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        engine.dispose()
    assert not folder.exists()
    assert not psutil.pid_exists(pid)


def test_temporary_valkey_serves_redis_py_and_celery_and_wants_its_password() -> None:
    with temporary_valkey() as url:
        client = redis.Redis.from_url(url)
        client.set("a", 1)
        folder = Path(client.config_get("dir")["dir"])  # type: ignore[index]
        client.close()
        with Connection(url) as broker:
            broker.SimpleQueue("q").put("x")
            assert broker.SimpleQueue("q").get(timeout=60).payload == "x"
        stranger = redis.Redis(port=urlsplit(url).port or 0)
        with pytest.raises(redis.AuthenticationError):
            stranger.get("a")
        stranger.close()
    assert not folder.exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) != 0


def test_a_socket_path_that_the_kernel_would_cut_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    with pytest.raises(FolderError, match="107 fit"):
        _valkey(deep).prepare()
    assert not deep.exists()


def test_a_socket_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    trap = tmp_path / "s"
    trap.symlink_to("/etc")
    with pytest.raises(FolderError, match="not a folder of this user"):
        _valkey(tmp_path).prepare()
