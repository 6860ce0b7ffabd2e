/**
 * Which IP addresses are on the public internet. Excluded are all ranges in the registries of
 * special-purpose addresses (IANA, RFC 6890 and its successors): loopback, private, link-local,
 * shared (CGNAT), multicast, documentation, benchmarks, translation to IPv4, cloud metadata
 * services. An address that is not known to be public is not public.
 */

import { BlockList, isIP } from 'node:net';

const NOT_PUBLIC_V4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // In a public range, but the host agent of one large cloud.
  ['168.63.129.16', 32],
];

/** Inside 2000::/3, the only IPv6 range allocated as global unicast. */
const NOT_PUBLIC_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const refusedV4 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) refusedV4.addSubnet(network, prefix, 'ipv4');
const refusedV6 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V6) refusedV6.addSubnet(network, prefix, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether `address`, an IPv4 or IPv6 address in a resolver's spelling, is on the public internet.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6');
    default:
      return false;
  }
}
