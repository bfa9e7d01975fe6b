/* Frames of the tests, field by field. Ethernet: to 02::0b from 02::0a, as `rig_set_up` sends them on. */
#ifndef SEXTANT_SRV6_FRAMES_H
#define SEXTANT_SRV6_FRAMES_H

#define ETHERNET_IPV4 "02000000000b 02000000000a 0800"
#define ETHERNET_IPV6 "02000000000b 02000000000a 86dd"

/* 10.0.0.1 port 4000 to 192.168.0.1 port 53, UDP, 4 bytes of payload: 32 bytes in all. */
#define INNER_IPV4 "4500 0020 0001 0000 4011 b014 0a000001 c0a80001  0fa0 0035 000c 0000  aabbccdd"

/* 2001:db8::1 port 4000 to 2001:db8::2 port 53, UDP, 4 bytes of payload: 52 bytes. */
#define IPV6_ADDRESSES "20010db8000000000000000000000001 20010db8000000000000000000000002"
#define UDP_IPV6 "0fa0 0035 000c 1234  aabbccdd"
#define INNER_IPV6 "60000000 000c 11 40" IPV6_ADDRESSES UDP_IPV6

#define EDGE "fc000000000100000000000000000000"
#define SID_NF "fc000000000100000000000000000001"
#define SID_EGRESS "fc00000000020000000000000000000e"
#define EMPTY_TLV "84 06 001d 00000000"

/* Device 3, queue 0; In_Time, latency and counter as they are given. */
#define METADATA(time, latency, counter) "0003 0000" time latency counter

#endif
