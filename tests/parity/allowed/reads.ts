import type { AllowedDifference } from '../compare.ts';
import { errorInstead, INVALID_PARAMS, is, isMissing, isObjectWith, isText } from './conditions.ts';

export const READS: readonly AllowedDifference[] = [
  ...errorInstead(
    /(level|commitment) that does not exist|(address|signature) that is none|129 accounts|limit of/,
    INVALID_PARAMS,
    /^Invalid params: /,
    'a node refuses parameters that it does not know, and more than it serves (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /101 accounts$|257 statuses$|five filters$|bytes that are none$/,
    INVALID_PARAMS,
    /^Invalid params: (Too many|a filter compares)/,
    'a node refuses more than it serves (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /the accounts of an owner by a (mint|program) that is none$/,
    INVALID_PARAMS,
    /^Invalid param: (could not find mint|unrecognized Token program id)$/,
    'a node looks the mint and the program up first (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /: transaction at processed$|the history at processed$/,
    INVALID_PARAMS,
    /^Method does not support commitment below `confirmed`$/,
    'a node serves no history that a fork may take (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /a versioned transfer, .*(no options|encoding as text)$/,
    -32_015,
    /^Transaction version \(0\) is not supported by the requesting client/,
    'a caller must ask for versioned transactions (rpc-client-api/src/custom_error.rs)',
  ),
  ...errorInstead(
    /(in base58|owner, no options)$/,
    -32_600,
    /^Encoded binary \(base 58\) data should be less than 128 bytes/,
    'a node refuses base58 of more than 128 bytes (rpc/src/rpc.rs)',
  ),
  ...errorInstead(
    /the time of a block in the future$/,
    -32_004,
    /^Block not available for slot 4000000000$/,
    'a node names the missing block (rpc/src/rpc.rs)',
  ),
  {
    steps: /when a payment is confirmed, the (balance|account) at (finalized|no level)$/,
    paths: /^result\.value$/,
    ours: (value) => value === 0 || value === null,
    because: 'Surfnet ignores the commitment of account reads',
  },
  {
    steps: /./,
    paths: /\brentEpoch$/,
    ours: is(Number(2n ** 64n - 1n)),
    because: 'rent-exempt accounts have the epoch u64::MAX (RENT_EXEMPT_RENT_EPOCH)',
  },
  {
    steps: /no options$/,
    paths: /^result\.value\.(\d\.)?data$/,
    ours: isText(/^[1-9A-Za-z]*$/),
    because: 'without an encoding a node returns bare base58, the oldest form (rpc/src/rpc.rs)',
  },
  {
    steps: /a mint in base64\+zstd$/,
    paths: /data\.0$/,
    ours: isText(/^KLUv/),
    because: 'the same bytes in another frame of the same format',
  },
  {
    steps: /the system program$/,
    paths: /\.(data\.0|space)$/,
    ours: (value) => value === 21 || value === 'c29sYW5hX3N5c3RlbV9wcm9ncmFt',
    because: 'a limit: LiteSVM names its system program `solana_system_program`',
  },
  {
    steps: /: (our program|rent), parsed$/,
    paths: /^result\.value\.data\./,
    ours: (value) => value === undefined || typeof value === 'string',
    because: 'a limit: token accounts and mints alone are parsed, others are base64',
  },
  {
    steps: /the mint's transaction in jsonParsed$/,
    paths: /instructions\.\d\.(parsed|program|accounts|data)$/,
    ours: (value) => value === undefined || typeof value === 'string' || Array.isArray(value),
    because: 'a limit: only instructions that move money are parsed',
  },
  {
    steps: /transaction(, | in )jsonParsed$/,
    paths: /^result\.meta\.loadedAddresses$/,
    ours: is({ readonly: [], writable: [] }),
    because: 'a node shows them in each encoding',
  },
  {
    steps: /^token accounts: the .* transaction in/,
    paths: /TokenBalances\.\d\.uiTokenAmount\.uiAmount(String)?$/,
    ours: (value) => value === null || isText(/^\d+(\.\d*[1-9])?$/)(value),
    because:
      'a node trims zeros, and stores no uiAmount of 0 (account-decoder-client-types/src/token.rs)',
  },
  {
    steps: /the (token balance|supply) of/,
    paths: /^error\.(code|message)$/,
    ours: (value) => value === INVALID_PARAMS || isText(/^Invalid param: /)(value),
    because: 'the codes and texts are those of a node (rpc/src/rpc.rs)',
  },
  {
    steps: /the history between two signatures in the wrong order$/,
    paths: /^result\.\d$/,
    ours: isMissing,
    because:
      'nothing is both older than `before` and newer than `until` (ledger/src/blockstore.rs)',
  },
  {
    steps: /recent priority fees of an account nobody writes$/,
    paths: /^result\.\d+$/,
    ours: isObjectWith('prioritizationFee'),
    because:
      'a node lists the last 150 slots, with a fee of 0 (runtime/src/prioritization_fee_cache.rs)',
  },
  {
    steps: /^node facts: version$/,
    paths: /^result\.surfnet-version$/,
    ours: isMissing,
    because: 'it names Surfnet',
  },
];
