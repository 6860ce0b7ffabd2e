/**
 * Load for a running deployment, for k6: transfers at a fixed rate, whatever became of earlier ones.
 * docs/performance.md describes the variables. The transfers are real.
 */
import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';

const { API, KEYS, RECIPIENT, AMOUNT = '1000', RATE = '10', DURATION = '30s', PREFER } = __ENV;
const MOST_WAITING = 2_000;
/** The api responds after 30 s at the latest. */
const TIMEOUT = '90s';

const keys = open(KEYS).trim().split('\n');
const paid = new Counter('spends_paid');
const pending = new Counter('spends_pending');
const refused = new Counter('spends_refused');
const unsent = new Counter('spends_refused_unsent');

export const options = {
  scenarios: {
    transfers: {
      executor: 'constant-arrival-rate',
      rate: Number(RATE),
      timeUnit: '1s',
      duration: DURATION,
      preAllocatedVUs: Math.min(MOST_WAITING, 10 * Number(RATE)),
      maxVUs: MOST_WAITING,
      gracefulStop: TIMEOUT,
    },
  },
  thresholds: { spends_refused_unsent: ['count==0'], dropped_iterations: ['count==0'] },
};

export default function transfer() {
  const key = keys[exec.scenario.iterationInTest % keys.length];
  const reply = http.post(
    `${API}/v1/spend/transfer`,
    JSON.stringify({ recipient: RECIPIENT, amount: AMOUNT }),
    {
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        ...(PREFER === undefined ? {} : { prefer: PREFER }),
      },
      timeout: TIMEOUT,
    },
  );
  check(reply, { 'was accepted': ({ status }) => status === 200 || status === 202 });
  if (reply.status === 200) paid.add(1);
  else if (reply.status === 202) pending.add(1);
  else {
    const code = reply.status === 0 ? 'no response' : reply.json('code');
    refused.add(1, { code });
    if (code === 'EXPIRED_UNSENT') unsent.add(1);
  }
}
