import type { AllowedDifference } from '../compare.ts';
import { errorInstead, INVALID_PARAMS, is, isMissing, isObjectWith, isText } from './conditions.ts';

export const SENDS: readonly AllowedDifference[] = [
  {
    steps: /sent again, with preflight$|sent after its window$/,
    paths: /^error\.(message|data)$/,
    ours: (value) =>
      isText(/^Transaction simulation failed: (This transaction has|Blockhash not)/)(value) ||
      isObjectWith('err')(value),
    times: 3,
    because: 'a node finds duplicates, and before them expiry, in its simulation (rpc/src/rpc.rs)',
  },
  {
    steps: /: (a landed transfer is sent again, without preflight|a transaction in base58)$/,
    paths: /^(error|result)$/,
    ours: (value) => value === undefined || isText(/^<signature of/)(value),
    times: 4,
    because: 'a node returns the signature of what it broadcasts again (rpc/src/rpc.rs)',
  },
  ...errorInstead(
    /with preflight at finalized$/,
    1,
    -32_002,
    /^Transaction simulation failed: Blockhash not found$/,
    'preflight knows the blockhashes of its own bank alone, by default the final one (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /(a|at a) minimum slot in the future/,
    5,
    -32_016,
    /^Minimum context slot has not been reached$/,
    'a node refuses to read from a bank behind the minimum (rpc/src/rpc.rs)',
  ),
  {
    steps: /the height at a minimum slot in the future$/,
    paths: /^error\./,
    ours: (value) =>
      value === -32_016 || isText(/^Minimum/)(value) || isObjectWith('contextSlot')(value),
    times: 3,
    because: 'a node refuses to read from a bank behind the minimum (rpc/src/rpc.rs)',
  },
  ...errorInstead(
    /simulated with sigVerify$/,
    2,
    -32_003,
    /^Transaction signature verification failure$/,
    'a node returns no simulation of what it cannot verify (rpc/src/rpc.rs)',
  ),
  {
    steps: /: (a forged|no) signature, with preflight$/,
    paths: /^error\.(code|message)$/,
    ours: (value) => value === -32_003 || value === 'Transaction signature verification failure',
    times: 4,
    because:
      'TransactionSignatureVerificationFailure is -32003 (rpc-client-api/src/custom_error.rs)',
  },
  {
    steps: /a lookup table that does not exist|a program index out of range/,
    paths: /^error\.(code|message)$/,
    ours: (value) => value === INVALID_PARAMS || isText(/^invalid transaction: /)(value),
    times: 4,
    because: 'a node sanitizes a transaction before anything else (rpc/src/rpc.rs)',
  },
  ...errorInstead(
    /bytes after its end/,
    1,
    INVALID_PARAMS,
    /bytes follow the message$/,
    'a node broadcasts them, but no leader takes the packet (transaction-view/src/transaction_frame.rs)',
  ),
  {
    steps: /: a program that does not exist, /,
    paths: /err(or\.message)?$/,
    ours: (value) => value === 'ProgramAccountNotFound' || isText(/does not exist$/)(value),
    times: 2,
    because:
      'a node tells a missing program from an account that is none (svm/src/account_loader.rs)',
  },
  {
    steps: /the fee of a message after its window$/,
    paths: /^result\.value$/,
    ours: is(null),
    times: 1,
    because: 'a node has no fee for a blockhash that is no longer valid (rpc/src/rpc.rs)',
  },
];

export const SIMULATIONS: readonly AllowedDifference[] = [
  {
    steps: /./,
    paths:
      /^(result\.value|error\.data)\.(fee|loaded(AccountsDataSize|Addresses)|p(re|ost)(Token)?Balances)$/,
    ours: isMissing,
    times: 385,
    because: 'a limit of our simulations: no client here reads these members',
  },
  {
    steps: /^landings: a transfer with a priority fee/,
    paths: /^result\.meta\.fee$/,
    ours: is(12_001),
    times: 6,
    because: 'Surfnet leaves the priority fee out: 5 000 and 1 000 units of 7.000001 lamports',
  },
  {
    steps: /./,
    paths: /\.returnData$/,
    ours: (value) => value === null || value === undefined,
    times: 37,
    because: 'a node shows return data only where there is some',
  },
  {
    steps: /a landed transfer is simulated again|which lands, simulated|, simulated$/,
    paths: /^result\.value\.(err|logs\.\d|unitsConsumed)$/,
    ours: (value) => value === 'AlreadyProcessed' || value === undefined || value === 0,
    times: 15,
    because: 'a node finds duplicates in a simulation (runtime/src/bank/check_transactions.rs)',
  },
  ...errorInstead(
    /with accounts in base58$/,
    1,
    INVALID_PARAMS,
    /^base58 encoding not supported$/,
    'a node refuses that encoding here (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /with too many accounts$/,
    1,
    INVALID_PARAMS,
    /^Too many accounts provided; max 3$/,
    'a node shows no more accounts than the transaction has (rpc/src/rpc.rs)',
  ),
  {
    steps: /with accounts in base64\+zstd$/,
    paths: /accounts\.0\.data\./,
    ours: (value) => value === 'base64+zstd' || value === 'KLUv/SAAAQAA',
    times: 2,
    because: 'Surfnet ignores the encoding',
  },
  {
    steps: /with accounts of a failure$/,
    paths: /^result\.value\.accounts$/,
    ours: is([null]),
    times: 1,
    because: 'a node returns null for each account of a failure (rpc/src/rpc.rs)',
  },
  {
    steps: /with an account that the transaction does not name$/,
    paths: /^result\.value\.accounts\.0$/,
    ours: (value) => value !== null && value !== undefined,
    times: 1,
    because: 'a node reads other accounts from the bank (rpc/src/rpc.rs)',
  },
];
