/** What a deployment must show before a process runs on the main network. Pure. */

import type { ProgramCode } from './program-code.ts';
import { type SquadsMultisig, vaultOfMultisig } from './squads-multisig.ts';

/** One program and its multisig, as one RPC endpoint shows them at `finalized`. */
export type UpgradeFacts = {
  /** Null when it is no program of a loader that is known here. */
  readonly program: ProgramCode | null;
  /** Null when none is named, or the named account is no multisig of Squads v4. */
  readonly multisig: SquadsMultisig | null;
};

export type MainnetFacts = {
  readonly allowMainnet: boolean;
  /** Host names of the RPC endpoints, without their ports. */
  readonly rpcHosts: readonly string[];
  /** SHA-256 of the audited program in lower-case hex; see `hashProgram`. */
  readonly auditSha256: string | undefined;
  readonly upgradeMultisig: string | undefined;
  /** Of each endpoint that responded; at least one. */
  readonly upgrade: readonly UpgradeFacts[];
};

export type ChecklistItem = {
  readonly id: 'allowed' | 'audit' | 'endpoints' | 'agreement' | 'authority';
  /** What is required. */
  readonly requirement: string;
  /** Why it is not met and what to do; null when it is met. */
  readonly missing: string | null;
};

const MIN_HOSTS = 2;
const MIN_THRESHOLD = 2;

/** Every requirement, met or not, so that an operator sees all of them at once. */
export function mainnetChecklist(facts: MainnetFacts): readonly ChecklistItem[] {
  const { upgrade } = facts;
  const [first] = upgrade;
  return [
    {
      id: 'allowed',
      requirement: 'ALLOW_MAINNET=true',
      missing: facts.allowMainnet ? null : 'set ALLOW_MAINNET=true',
    },
    {
      id: 'audit',
      requirement: 'the deployed program is the audited one',
      missing: auditGap(facts.auditSha256, first?.program ?? null),
    },
    {
      id: 'endpoints',
      requirement: `RPC endpoints of ${MIN_HOSTS} different hosts`,
      missing:
        new Set(facts.rpcHosts).size >= MIN_HOSTS
          ? null
          : `name endpoints of ${MIN_HOSTS} different providers in RPC_URL, separated by a comma`,
    },
    {
      id: 'agreement',
      requirement: 'the RPC endpoints agree on the program and its authority',
      missing:
        new Set(upgrade.map((one) => JSON.stringify(one))).size === 1
          ? null
          : 'the endpoints in RPC_URL show different programs, authorities or multisigs: find out which one is wrong',
    },
    {
      id: 'authority',
      requirement: 'nobody can replace the program alone',
      missing: authorityGap(facts.upgradeMultisig, first ?? { program: null, multisig: null }),
    },
  ];
}

const NO_PROGRAM = 'PROGRAM_ID is no program whose bytes can be read: deploy it first';

function auditGap(audited: string | undefined, program: ProgramCode | null): string | null {
  if (audited === undefined) {
    return 'set AUDIT_SHA256 to the SHA-256 of the audited program, without zeros at its end';
  }
  if (program === null) return NO_PROGRAM;
  if (program.sha256 === audited) return null;
  return `the deployed program has the SHA-256 ${program.sha256}, not AUDIT_SHA256=${audited}: deploy the audited program`;
}

function authorityGap(
  address: string | undefined,
  { program, multisig }: UpgradeFacts,
): string | null {
  if (program === null) return NO_PROGRAM;
  const { authority } = program;
  if (authority === null) return null;
  if (address === undefined) {
    return `${authority} can replace the program: hand it over to a Squads multisig and name that in UPGRADE_MULTISIG`;
  }
  const vault = vaultOfMultisig(address);
  if (multisig !== null && authority !== vault) {
    return `${authority} can replace the program, and the vault of UPGRADE_MULTISIG is ${vault}: hand it over`;
  }
  const gap = multisigGap(multisig);
  return gap === null ? null : `UPGRADE_MULTISIG: ${gap}`;
}

/** Why one member could control a multisig alone, and what to do; null when none could. */
export function multisigGap(multisig: SquadsMultisig | null): string | null {
  if (multisig === null) return 'it is no multisig account of Squads v4';
  const { configAuthority, threshold, voters } = multisig;
  if (configAuthority !== null) {
    return `${configAuthority} alone can change its members: remove its config authority`;
  }
  if (threshold >= MIN_THRESHOLD && voters >= threshold) return null;
  return `it needs ${threshold} of ${voters} votes: raise the threshold to ${MIN_THRESHOLD} or more`;
}
