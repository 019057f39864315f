"""Addresses that a server may be asked at on a stranger's word: public unicast ones, and no others."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_IPV4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a carrier's subscribers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local; metadata of cloud machines
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
_UNICAST_IPV6 = IPv6Network("2000::/3")
"""Loopback, IPv4-mapped, NAT64 (64:ff9b::/96), unique local, link-local and multicast addresses lie outside of it."""

_NOT_PUBLIC_IPV6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which embeds an IPv4 address
        "3fff::/20",  # documentation
    )
]


def is_public(address: Address) -> bool:
    """Return True for a unicast address of the public internet; False for one with a zone, too.

    The networks are listed here because `ipaddress.is_global` differs between Python's versions, and takes multicast
    addresses for global ones. Source: IANA IPv4 and IPv6 special-purpose address registries (RFC 6890), read 2026-11.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_IPV4)
    if address.scope_id is not None or address not in _UNICAST_IPV6:
        return False
    return not any(address in network for network in _NOT_PUBLIC_IPV6)
