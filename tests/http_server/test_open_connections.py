"""Counts of open connections: who makes room for whom."""

import pytest

from ledgerkit.http_server.connections import FEWEST_CONNECTIONS, MOST_CONNECTIONS, OWN_FILES, Connections, Shares


class Line:
    def __init__(self) -> None:
        self.is_dropped = self.is_sending = False

    def drop(self) -> None:
        self.is_dropped = True


def opened(connections: Connections, *addresses: str) -> list[Line]:
    lines = [Line() for _ in addresses]
    for line, address in zip(lines, addresses, strict=True):
        assert connections.admit(line, address)
    return lines


def test_a_newcomer_takes_the_place_of_who_has_waited_longest():
    connections = Connections(3, 3, "")
    first, second, third = opened(connections, "1.1.1.1", "2.2.2.2", "3.3.3.3")
    connections.works(first)
    connections.waits(first)

    opened(connections, "4.4.4.4")

    assert [one.is_dropped for one in (first, second, third)] == [False, True, False]
    assert len(connections) == 3


def test_who_still_sends_an_answer_makes_no_room():
    connections = Connections(2, 2, "")
    first, second = opened(connections, "1.1.1.1", "2.2.2.2")
    first.is_sending = True

    opened(connections, "3.3.3.3")

    assert (first.is_dropped, second.is_dropped) == (False, True)


def test_nobody_at_work_makes_room():
    connections = Connections(2, 2, "")
    first, second = opened(connections, "1.1.1.1", "2.2.2.2")
    connections.works(first)
    connections.works(second)

    refused = connections.admit(Line(), "3.3.3.3")
    connections.leave(first)
    admitted = connections.admit(Line(), "3.3.3.3")

    assert (refused, admitted, first.is_dropped, second.is_dropped) == (False, True, False, False)


def test_at_the_bound_of_one_address_only_its_own_connections_make_room():
    connections = Connections(10, 2, "")
    stranger, busy, silent = opened(connections, "9.9.9.9", "1.1.1.1", "1.1.1.1")
    connections.works(busy)

    opened(connections, "1.1.1.1")

    assert [one.is_dropped for one in (stranger, busy, silent)] == [False, False, True]


@pytest.mark.parametrize(("address", "same"), [("::ffff:1.1.1.1", "1.1.1.1"), ("2001:db8::1", "2001:db8::2")])
def test_one_subscriber_is_one_address(address, same):
    connections = Connections(10, 1, "")
    (first,) = opened(connections, address)
    connections.works(first)

    assert not connections.admit(Line(), same)


def test_a_proxy_that_is_believed_is_not_bounded_but_by_the_whole():
    connections = Connections(4, 1, "10.0.0.0/8, 192.0.2.1")
    for line in opened(connections, "10.1.2.3", "10.1.2.3", "192.0.2.1", "192.0.2.1"):
        connections.works(line)

    assert not connections.admit(Line(), "10.1.2.3")


def test_who_has_left_is_forgotten():
    connections = Connections(1, 1, "")
    (first,) = opened(connections, "1.1.1.1")

    connections.leave(first)
    connections.leave(first)
    connections.waits(first)

    assert len(connections) == 0
    assert not first.is_dropped
    opened(connections, "1.1.1.1")


@pytest.mark.parametrize("descriptors", [256, 1024, 4096, 20_000, 1 << 20])
def test_connections_leave_room_for_the_database_and_for_files(descriptors):
    shares = Shares.of(descriptors, 20)

    assert FEWEST_CONNECTIONS <= shares.connections <= MOST_CONNECTIONS
    assert shares.connections + shares.queue + OWN_FILES + 2 * 20 <= descriptors
