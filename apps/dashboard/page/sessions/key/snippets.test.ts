import { expect, it } from 'vitest';
import readme from '../../../../mcp/README.md?raw';
import { snippetsFor, type SnippetSession } from './snippets.ts';

const session: SnippetSession = {
  apiUrl: 'https://api.example.com',
  apiKey: 'svc_dev_key',
  maxPerTx: 5_000_000n,
  recipient: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
const codeOf = (name: string, changed: Partial<SnippetSession> = {}) =>
  snippetsFor({ ...session, ...changed }).find((snippet) => snippet.name === name)?.code ?? '';

it('configures the MCP server as its README does', () => {
  const documented = /```json\n(?<json>[^`]+)```/.exec(readme)?.groups?.['json'] ?? '';
  const filledIn = documented.replace('<API>', session.apiUrl).replace('<key>', session.apiKey);
  expect(JSON.parse(codeOf('MCP'))).toEqual(JSON.parse(filledIn));
});

it('pays an amount that the session may pay, to a recipient that it has', () => {
  expect(codeOf('SDK')).toContain("amount: usdc('0.01')");
  expect(codeOf('curl')).toContain(`"recipient":"${session.recipient}","amount":10000}`);
  expect(codeOf('SDK', { maxPerTx: 7n })).toContain("amount: usdc('0.000007')");
  expect(codeOf('curl', { maxPerTx: 7n })).toContain('"amount":7}');
});

it('reads the balance where there is nobody to pay', () => {
  expect(codeOf('SDK', { recipient: null })).toContain('await wallet.position()');
  expect(codeOf('SDK', { recipient: null })).not.toContain('usdc');
  expect(codeOf('curl', { recipient: null })).toContain('/v1/yield/position');
});
