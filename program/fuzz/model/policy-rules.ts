import { SESSION_RENT } from '../world/account.ts';
import type { Args } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { create, existsProblem } from './create.ts';
import {
  deadlineRefusal,
  empty,
  ownerProblems,
  type Problems,
  type Refusal,
  refusalOf,
  type Scene,
  sessionAt,
  sessionProblem,
  vaultAt,
  writableProblem,
} from './scene.ts';

const MAX_RECIPIENTS = 10;
const KNOWN_INSTRUCTIONS = 0b111;

export function addSession(scene: Scene): Refusal {
  const { universe, call } = scene;
  const { args } = call;
  const [owner, vault, session] = [scene.at('owner'), scene.at('vault'), scene.at('session')];
  const canonical = universe.sessionOf(vault, args.session_pubkey);
  const state = vaultAt(scene, vault);
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    writableProblem(scene, session),
    canonical?.id !== session && 2006,
  );
  if (refusal !== null || canonical === undefined || state === undefined) return refusal;
  const noKeys = [universe.fixed.system, vault, universe.fixed.eventAuthority];
  const refused =
    deadlineRefusal(scene) ??
    refusalOf(args.session_index !== state.nextSessionIndex && 6107) ??
    refusalOf(noKeys.includes(args.session_pubkey) && 6108) ??
    limitsRefusal(scene) ??
    recipientsRefusal(scene, args.session_pubkey) ??
    refusalOf(existsProblem(scene, session));
  if (refused !== null) return refused;
  create(scene, session, SESSION_RENT, universe.fixed.program, {
    kind: 'session',
    bump: canonical.bump,
    ...limitsOf(args),
    recipients: args.recipients,
    index: state.nextSessionIndex,
    vault,
    key: args.session_pubkey,
    spends: [],
    sequences: new Set(),
    highest: 0n,
  });
  state.nextSessionIndex += 1n;
  if (state.version === 2) state.openSessions += 1n;
  return null;
}

export function updateSessionAllowlist(scene: Scene): Refusal {
  const session = sessionAt(scene, scene.at('session'));
  const refusal =
    refusalOf(...ownerProblems(scene), ...ownedSessionProblems(scene)) ??
    deadlineRefusal(scene) ??
    indexRefusal(scene) ??
    recipientsRefusal(scene, session?.key);
  if (refusal !== null || session === undefined) return refusal;
  session.recipients = scene.call.args.recipients;
  return null;
}

export function updateSessionLimits(scene: Scene): Refusal {
  const session = sessionAt(scene, scene.at('session'));
  const refusal =
    refusalOf(...ownerProblems(scene), ...ownedSessionProblems(scene)) ??
    deadlineRefusal(scene) ??
    indexRefusal(scene) ??
    limitsRefusal(scene);
  if (refusal !== null || session === undefined) return refusal;
  Object.assign(session, limitsOf(scene.call.args));
  return null;
}

export function revokeSession(scene: Scene): Refusal {
  const [owner, vault, session] = [scene.at('owner'), scene.at('vault'), scene.at('session')];
  const refusal =
    refusalOf(
      writableProblem(scene, owner),
      writableProblem(scene, vault),
      ...ownerProblems(scene),
      ...ownedSessionProblems(scene),
    ) ?? indexRefusal(scene);
  if (refusal !== null) return refusal;
  const state = vaultAt(scene, vault);
  if (state?.version === 2 && state.openSessions > 0n) state.openSessions -= 1n;
  empty(scene, session, owner);
  return null;
}

function ownedSessionProblems(scene: Scene): Problems {
  const session = scene.at('session');
  return [writableProblem(scene, session), sessionProblem(scene, session, scene.at('vault'))];
}

/** The session's index, which is never used again, names the session that the owner meant. */
function indexRefusal(scene: Scene): Refusal {
  const index = sessionAt(scene, scene.at('session'))?.index;
  return refusalOf(scene.call.args.session_index !== index && 6050);
}

function limitsRefusal({ model, call: { args } }: Scene): Refusal {
  return (
    refusalOf((args.max_per_tx === 0n || args.daily_cap === 0n) && 6007) ??
    refusalOf(args.expiry <= model.now && 6100) ??
    refusalOf((args.allowed_instructions & ~KNOWN_INSTRUCTIONS) !== 0 && 6104)
  );
}

function limitsOf(args: Args) {
  return {
    maxPerTx: args.max_per_tx,
    dailyCap: args.daily_cap,
    expiry: args.expiry,
    allowedInstructions: args.allowed_instructions,
  };
}

/** Forbidden are the vault, its token account, the session key and the zero address. */
function recipientsRefusal(scene: Scene, key: Id | undefined): Refusal {
  const { recipients } = scene.call.args;
  const vault = scene.at('vault');
  const tokens = vaultAt(scene, vault)?.vaultTokens;
  const forbidden = new Set([scene.universe.fixed.system, vault, tokens, key]);
  return (
    refusalOf(recipients.length > MAX_RECIPIENTS && 6101) ??
    refusalOf(
      recipients.some((id) => forbidden.has(id)) && 6103,
      new Set(recipients).size < recipients.length && 6102,
    )
  );
}
