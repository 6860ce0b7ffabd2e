import { expect, test } from 'vitest';
import type { Service } from '../replies.ts';
import { findCatalogCall } from './catalog-call.ts';

const entry = (slug: string, base_url: string, method: string | null = null): Service => ({
  slug,
  name: slug,
  base_url,
  enabled: true,
  pay_to: 'payee',
  max_price: 1n,
  method,
  proof: 'x402',
  created_at: '2027-01-15T08:00:00.000Z',
});
const services = [
  entry('root', 'https://a.example'),
  entry('weather', 'https://api.example/weather/'),
  entry('storms', 'https://api.example/weather/storms', 'POST'),
];

test.each([
  ['https://a.example/', {}, { slug: 'root' }],
  ['https://a.example/x?y=1', {}, { slug: 'root', path: '/x?y=1' }],
  ['https://api.example/weather/', {}, { slug: 'weather' }],
  ['https://api.example/weather/oslo', {}, { slug: 'weather', path: '/oslo' }],
  [
    'https://api.example/weather/oslo',
    { method: 'post', body: '{"days":3}' },
    { slug: 'weather', path: '/oslo', body: { days: 3 } },
  ],
  ['https://api.example/weather/storms', { method: 'POST' }, { slug: 'storms' }],
])('%s with %j is %j', (url, init, call) => {
  expect(findCatalogCall(services, new URL(url), init)).toEqual(call);
});

test.each([
  ['https://b.example/', {}],
  ['http://a.example/', {}],
  ['https://api.example/weathervane', {}],
  ['https://api.example/weather//oslo', {}],
  ['https://api.example/weather/storms', {}],
  ['https://api.example/weather/oslo', { method: 'DELETE' }],
  ['https://api.example/weather/oslo', { method: 'POST' }],
  ['https://api.example/weather/oslo', { method: 'POST', body: 'text' }],
])('%s with %j is no request to the catalog', (url, init) => {
  expect(findCatalogCall(services, new URL(url), init)).toBeNull();
});
