import type { AllowedDifference } from '../compare.ts';
import { errorInstead, INVALID_PARAMS, is, isMissing, isText } from './conditions.ts';

export const TEXTS: readonly AllowedDifference[] = [
  {
    steps: /./,
    paths: /^(body\.)?error\.message$/,
    ours: isText(/^(Invalid params: |Invalid Request: |invalid base(58|64) encoding$|failed to )/),
    times: 42,
    because: 'bad parameters have the code of a node; the texts are of other parsers',
  },
  {
    steps: /./,
    paths: /^(body\.)?error\.data$/,
    ours: isMissing,
    times: 13,
    because: 'only Surfnet adds the text of its parser as data',
  },
  {
    steps: /with preflight$/,
    paths: /^error\.message$/,
    ours: isText(/^Transaction simulation failed: [^\n]*$/),
    times: 13,
    because: 'Surfnet appends the logs, which a node has in `data.logs` alone (rpc/src/rpc.rs)',
  },
];

export const PROTOCOL: readonly AllowedDifference[] = [
  {
    steps: /^protocol: a batch( of one)?$/,
    paths: /^body\.(error|id)$/,
    ours: isMissing,
    times: 4,
    because: 'Surfnet has no batches',
  },
  {
    steps: /^protocol: a batch( of one)?$/,
    paths: /^body\.\d$/,
    ours: (value) => value !== undefined,
    times: 4,
    because: 'Surfnet has no batches',
  },
  {
    steps: /^protocol: (a call |an empty batch)/,
    paths: /^body\.(error\.message|id|jsonrpc)$/,
    ours: (value) => value === 'Invalid request' || value === '2.0' || value === 1,
    times: 12,
    because: 'a node names the call that it refuses, and its texts are those of jsonrpc-core',
  },
  {
    steps: /^protocol: a method that does not exist$/,
    paths: /^body\.error\.message$/,
    ours: is('Method not found: getNothing'),
    times: 1,
    because: 'people who miss a method learn its name',
  },
  {
    steps: /^protocol: a notification$/,
    paths: /^body$/,
    ours: is(''),
    times: 1,
    because: 'a call without an id has no answer (JSON-RPC 2.0, section 4.1)',
  },
];

export const SUBSCRIPTIONS: readonly AllowedDifference[] = [
  {
    steps: /^subscriptions: /,
    paths: /result\.context\.apiVersion$/,
    ours: isMissing,
    times: 13,
    because: 'a notification has the slot alone as its context (rpc/src/rpc_subscriptions.rs)',
  },
  ...errorInstead(
    /the end of a signature that was shown$/,
    1,
    INVALID_PARAMS,
    /^Invalid subscription id\.$/,
    'the subscription of a signature ends with its notification (rpc/src/rpc_subscriptions.rs)',
  ),
  {
    steps: /: logs that name (the payer|our program)$/,
    paths: /^\d\.result\.value\.err$/,
    ours: is({ InstructionError: [1, { Custom: 101 }] }),
    times: 2,
    because: 'Surfnet shows failures as successes',
  },
  ...errorInstead(
    /: logs of two addresses$/,
    1,
    INVALID_PARAMS,
    /^Invalid Request: Only 1 address supported$/,
    'a node takes one address (rpc/src/rpc_pubsub.rs)',
  ),
];
