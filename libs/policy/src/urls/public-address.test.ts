import { describe, expect, it } from 'vitest';

import { isPublicAddress } from './public-address.ts';

/** Addresses that are not public, by kind. */
const OTHERS: Readonly<Record<string, string>> = {
  'this network': '0.0.0.0 0.255.255.255',
  private: '10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1',
  shared: '100.64.0.0 100.127.255.255',
  'metadata of one cloud': '100.100.100.200',
  'metadata of another': '168.63.129.16',
  'metadata of most clouds': '169.254.169.254',
  loopback: '127.0.0.1 127.255.255.255 ::1',
  'link-local': '169.254.0.0 169.254.255.255 fe80::1',
  protocols: '192.0.0.1 192.0.0.192',
  documentation: '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1',
  'relays to IPv6': '192.88.99.1',
  benchmarks: '198.18.0.1 198.19.255.255',
  multicast: '224.0.0.1 239.255.255.255 ff02::1',
  reserved: '240.0.0.1',
  broadcast: '255.255.255.255',
  unspecified: '::',
  mapped: '::ffff:127.0.0.1',
  'mapped, of a public one': '::ffff:8.8.8.8',
  'mapped, in hexadecimal': '::ffff:7f00:1',
  compatible: '::127.0.0.1',
  translated: '64:ff9b::7f00:1',
  'translated, of a public one': '64:ff9b::808:808',
  'translated locally': '64:ff9b:1::1',
  discard: '100::1',
  Teredo: '2001::1',
  identifiers: '2001:20::1',
  '6to4 of a private one': '2002:a00:1::1',
  'segment routing': '5f00::1',
  'unique local': 'fc00::1',
  'unique local, metadata': 'fd00:ec2::254',
  'link-local with a zone': 'fe80::1%eth0',
  'global with a zone': '2606:4700::1%eth0',
  'site-local': 'fec0::1',
  'not an address': 'example.com',
  'not an address as the resolver writes it': '127.1',
  empty: '',
};

describe('public addresses', () => {
  it.each([
    ...'1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0'.split(' '),
    ...'126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255'.split(' '),
    ...'172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0'.split(' '),
    ...'223.255.255.255 168.63.129.15 2606:4700:4700::1111'.split(' '),
    ...'2a00:1450:4001:81b::200e 2001:200::1 2003::1'.split(' '),
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const others = Object.entries(OTHERS).flatMap(([kind, addresses]) =>
    addresses.split(' ').map((address) => [kind, address] as const),
  );
  it.each(others)('%s is not: %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
