import { valueOfCollateral } from '@agent-wallet/chain';
import {
  sessionBlastRadiusAnswer,
  sessionParams,
  walletBlastRadiusAnswer,
} from '@agent-wallet/contract';
import { AppError } from '@agent-wallet/errors';
import {
  type BlastRadius,
  blastRadius,
  type Holdings,
  type Spendable,
  sumBlastRadius,
} from '@agent-wallet/policy';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { PositionFacts } from '../../chain/chain-access.ts';
import { requireSession } from '../../session/find-session.ts';
import { sessionStatus } from '../../session/session-view.ts';
import { listUnrevoked, type SessionRow } from '@agent-wallet/wallet';
import { requireWallet } from '../../wallet/wallet-activity.ts';
import { REFUSALS } from '../../http/http-refusal.ts';
import type { OwnerDeps } from './owner-deps.ts';

/** Maximum number of sessions in the sum; `is_complete` is false beyond it. */
const LOOKED_AT = 500;

/** The most that stolen session keys could move, by the program's limits alone. */
export function blastRadiusRoutes(deps: OwnerDeps): FastifyPluginAsyncZod {
  const { db, owners, chain } = deps;
  const nowSeconds = () => BigInt(Math.floor(deps.nowMs() / 1000));

  return async (app) => {
    app.get(
      '/v1/session/:id/blast-radius',
      {
        config: {
          doc: {
            tag: 'Sessions',
            caller: 'owner',
            summary: 'Read what a stolen key of a session could move',
            description:
              'The worst case under the limits on chain alone. The time window and the URL allowlist do not count: they do not bind the holder of the key.',
            errors: ['SESSION_NOT_FOUND', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { params: sessionParams, response: { 200: sessionBlastRadiusAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const row = await requireSession(deps, owner, request.params.id);
        const facts = await chain.readPosition(chain.addressesOf(owner), [row.sessionPda]);
        const at = nowSeconds();
        const session = judge(facts, row, facts.sessions[0] ?? null, at);
        return {
          session_id: row.sessionId,
          status: session.status,
          expiry: Number(session.expiry),
          recipients: [...session.recipients],
          ...describe(facts, session.radius, at),
        };
      },
    );

    app.get(
      '/v1/wallet/blast-radius',
      {
        config: {
          doc: {
            tag: 'Wallet',
            caller: 'owner',
            summary: 'Read what all stolen session keys together could move',
            description:
              'The worst case of a compromised backend. The limits of the sessions add up; the holdings of the vault count once.',
            errors: ['WALLET_NOT_FOUND', 'RPC_UNAVAILABLE'],
          },
        },
        schema: { response: { 200: walletBlastRadiusAnswer, ...REFUSALS } },
      },
      async (request) => {
        const wallet = await requireWallet(db, owners.ownerOf(request).owner);
        const found = await listUnrevoked(db, wallet.walletId, LOOKED_AT + 1);
        const rows = found.slice(0, LOOKED_AT);
        const facts = await chain.readPosition(
          wallet,
          rows.map(({ sessionPda }) => sessionPda),
        );
        const at = nowSeconds();
        const live = rows
          .map((row, i) => judge(facts, row, facts.sessions[i] ?? null, at))
          .filter(({ status }) => status === 'live');
        const radius = sumBlastRadius(
          live.map((session) => session.radius),
          holdingsOf(facts),
        );
        return {
          wallet_id: wallet.walletId,
          live_sessions: live.length,
          is_complete: found.length === rows.length,
          recipients: [...new Set(live.flatMap(({ recipients }) => recipients))],
          ...describe(facts, radius, at),
        };
      },
    );
  };
}

type Judged = {
  readonly status: ReturnType<typeof sessionStatus>;
  readonly expiry: bigint;
  readonly recipients: readonly string[];
  readonly radius: BlastRadius;
};

/** A session that is not live moves nothing. Throws RPC_UNAVAILABLE when the node lags behind. */
function judge(
  facts: PositionFacts,
  row: SessionRow,
  state: PositionFacts['sessions'][number],
  at: bigint,
): Judged {
  const status = sessionStatus(row, { slot: facts.slot, state }, at);
  const holdings = holdingsOf(facts);
  const { expiry, recipients } = state ?? { ...row, recipients: row.allowedRecipients };
  if (status !== 'live') {
    return { status, expiry, recipients, radius: sumBlastRadius([], holdings) };
  }
  if (state === null || facts.vault === null) {
    throw new AppError('RPC_UNAVAILABLE', { reason: 'node lags' });
  }
  const radius = blastRadius({ ...state, paused: facts.vault.paused }, holdings, at);
  return { status, expiry, recipients, radius };
}

/** The collateral counts as at least the principal: interest is readable only with yield on. */
function holdingsOf({ vault, liquid, yield: held }: PositionFacts): Holdings {
  const deployed = vault?.deployedAmount ?? 0n;
  const worth = held === null ? 0n : valueOfCollateral(held.reserve, held.collateral);
  return {
    liquid,
    deployed,
    value: worth > deployed ? worth : deployed,
    maxDeployedFractionBp: vault?.maxDeployedFractionBp ?? 0,
  };
}

function describe(facts: PositionFacts, radius: BlastRadius, at: bigint) {
  const { liquid, deployed, value } = holdingsOf(facts);
  return {
    paused: facts.vault?.paused ?? false,
    holdings: {
      liquid: liquid.toString(),
      deployed: deployed.toString(),
      value: value.toString(),
    },
    by_limits: describeSpendable(radius.byLimits),
    of_holdings: describeSpendable(radius.ofHoldings),
    yield_deposit: radius.yieldDeposit.toString(),
    yield_withdraw: radius.yieldWithdraw.toString(),
    computed_at: Number(at),
  };
}

function describeSpendable({ now, within24h, untilExpiry }: Spendable) {
  return {
    now: now.toString(),
    within_24h: within24h.toString(),
    until_expiry: untilExpiry.toString(),
  };
}
