import { expect, test } from 'vitest';
import { keyFormOf } from './api-key.ts';

test.each([
  ['svc_dev_x', 'svc_dev_', 'ours'],
  ['svc_prod_x', 'svc_dev_', 'another cluster'],
  ['svc_test_x', 'svc_dev_', 'no key'],
  ['SVC_DEV_x', 'svc_dev_', 'no key'],
  ['svc_prod_x', 'svc_prod_', 'ours'],
  ['svc_dev_x', 'svc_prod_', 'another cluster'],
  ['svc_test_x', 'svc_test_', 'ours'],
  ['svc_dev_x', 'svc_test_', 'another cluster'],
] as const)('a token %s is, where keys begin with %s, %s', (token, prefix, form) => {
  expect(keyFormOf(token, prefix)).toBe(form);
});
