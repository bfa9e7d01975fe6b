import { describe, expect, it } from "vitest";
import { readPrefix } from "@/lib/prefix";

describe("a prefix", () => {
  it.each([
    ["10.0.0.0/8", 4, "10.0.0.0/8"],
    [" 0.0.0.0/0 ", 4, "0.0.0.0/0"],
    ["192.168.1.1/32", 4, "192.168.1.1/32"],
    // RFC 5952: no leading zeros, lower case; of zeros the longest run is shortened, the first of two, never one
    ["2001:0DB8::/32", 6, "2001:db8::/32"],
    ["2001:db8:0:1:1:1:1:1/128", 6, "2001:db8:0:1:1:1:1:1/128"],
    ["2001:0:0:1:0:0:0:1/128", 6, "2001:0:0:1::1/128"],
    ["2001:db8:0:0:1:0:0:1/128", 6, "2001:db8::1:0:0:1/128"],
    ["2000::/3", 6, "2000::/3"],
    ["fc00::/7", 6, "fc00::/7"],
    ["64:ff9b::192.0.2.0/120", 6, "64:ff9b::c000:200/120"],
  ])("%s is read", (text, version, canonical) => {
    expect(readPrefix(text)).toEqual({ version, text: canonical });
  });

  it.each([
    ["", "a prefix is needed"],
    ["10.0.0.0", "a prefix is needed"],
    ["10.0.0/8", "a prefix is needed"],
    ["10.0.0.256/32", "a prefix is needed"],
    ["010.0.0.0/8", "a prefix is needed"],
    ["10.0.0.0/33", "a prefix is needed"],
    ["10.0.0.0/8/8", "a prefix is needed"],
    ["2001:db8::/129", "a prefix is needed"],
    ["2001:db8:::/32", "a prefix is needed"],
    ["fe80::1%eth0/128", "a prefix is needed"],
    ["::1]/32", "a prefix is needed"],
    ["10.1.2.3/8", "write 10.0.0.0/8"],
    ["2001:db8::1/32", "write 2001:db8::/32"],
    ["::ffff:10.0.0.0/104", "IPv4-mapped"],
    ["::1/128", "loopback"],
    ["fe80::/64", "link-local"],
    ["ff02::/16", "multicast"],
    ["::/0", "too wide"],
    ["fe00::/7", "too wide"],
  ])("'%s' is refused", (text, why) => {
    expect(readPrefix(text)).toEqual(expect.stringContaining(why));
  });
});
