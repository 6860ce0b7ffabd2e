import { formatUsdc } from '@agent-wallet/sdk/owner';
import { actionsOf } from '../form/session-actions.ts';

export type Snippet = {
  readonly name: 'SDK' | 'curl' | 'MCP';
  /** Where it goes. */
  readonly hint: string;
  readonly code: string;
};

/** What a snippet is made for. */
export type SnippetSession = {
  readonly apiUrl: string;
  readonly apiKey: string;
  /** Base units. */
  readonly maxPerTx: bigint;
  /** An allowed recipient of the session; null if it has none. */
  readonly recipient: string | null;
};

/** The largest amount that a snippet pays, in base units: 0.01 USDC. */
const MODEST = 10_000n;

/** Working examples for an agent's key. Without a recipient they read the balance instead of paying. */
export function snippetsFor(session: SnippetSession): readonly Snippet[] {
  return [
    { name: 'SDK', hint: 'agent.ts, with the key in AGENT_WALLET_KEY', code: sdkSnippet(session) },
    { name: 'curl', hint: 'In a terminal', code: curlSnippet(session) },
    { name: 'MCP', hint: 'In the settings of the MCP client', code: mcpSnippet(session) },
  ];
}

/** The address that a snippet pays: the first recipient of a session that may pay. */
export const recipientToPay = ({
  allowed_instructions,
  allowed_recipients,
}: {
  readonly allowed_instructions: number;
  readonly allowed_recipients: readonly string[];
}): string | null =>
  actionsOf(allowed_instructions).includes('transfer') ? (allowed_recipients[0] ?? null) : null;

const amountFor = ({ maxPerTx }: SnippetSession): bigint => (maxPerTx < MODEST ? maxPerTx : MODEST);

function sdkSnippet(session: SnippetSession): string {
  const { apiUrl, recipient } = session;
  const call =
    recipient === null
      ? ['console.log(await wallet.position());']
      : [
          'const payment = await wallet.transfer({',
          `  recipient: '${recipient}',`,
          `  amount: usdc('${formatUsdc(amountFor(session))}'),`,
          '});',
          'console.log((await wallet.waitFor(payment)).tx_signature);',
        ];
  return [
    `import { createAgentWallet${recipient === null ? '' : ', usdc'} } from '@agent-wallet/sdk';`,
    '',
    'const wallet = createAgentWallet({',
    `  url: '${apiUrl}',`,
    "  apiKey: process.env.AGENT_WALLET_KEY ?? '',",
    '});',
    ...call,
  ].join('\n');
}

function curlSnippet(session: SnippetSession): string {
  const { apiUrl, apiKey, recipient } = session;
  const key = `-H 'Authorization: Bearer ${apiKey}'`;
  if (recipient === null) return `curl ${apiUrl}/v1/yield/position \\\n  ${key}`;
  return [
    `curl ${apiUrl}/v1/spend/transfer`,
    key,
    "-H 'Content-Type: application/json'",
    "-H 'Idempotency-Key: first-payment'",
    `-d '{"recipient":"${recipient}","amount":${amountFor(session)}}'`,
  ].join(' \\\n  ');
}

const mcpSnippet = ({ apiUrl, apiKey }: SnippetSession): string =>
  JSON.stringify(
    {
      mcpServers: {
        'agent-wallet': {
          command: '<folder>/node_modules/.bin/agent-wallet-mcp',
          env: { AGENT_WALLET_URL: apiUrl, AGENT_WALLET_KEY: apiKey },
        },
      },
    },
    null,
    2,
  );
