/**
 * Everything that a use case does outside itself, counted, with one call that goes wrong. Calls are
 * statements, the begin and commit of SQL transactions, RPC methods, nudges and services asked.
 */
import type { Rpc } from '@agent-wallet/chain';
import type { Database, SqlTransaction } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { z } from 'zod';
import type { Egress } from '../../apps/api/src/egress/egress.ts';

/**
 * How the k-th call goes wrong: it fails before it happens, it happens and its answer is lost, the
 * process dies there, or the process sleeps there while others go on with its work.
 */
export const WAYS = ['before', 'after', 'dies', 'sleeps'] as const;
export type Way = (typeof WAYS)[number];

export type Fault = {
  /** From 1. */
  readonly k: number;
  readonly way: Way;
  readonly whileAsleep: () => Promise<void>;
};

export type Io = {
  readonly db: Database;
  readonly rpc: Rpc;
  /** Those who watch attempts ask it before the other one; undefined: there is only one. */
  readonly firstEndpoint?: Rpc | undefined;
  readonly nudge: (sessionId: string) => Promise<void>;
  /** Asks services; undefined: nobody does. */
  readonly egress?: Egress | undefined;
};

export type FaultyIo = Io & {
  /** What was called so far, in order. */
  readonly calls: readonly Call[];
  readonly isDead: () => boolean;
};

/** One call to the outside. `changes`: something may be different after it. */
export type Call = {
  readonly kind: 'sql' | 'rpc' | 'nudge' | 'service';
  readonly label: string;
  readonly changes: boolean;
  /** It is made inside an SQL transaction. */
  readonly holdsLocks: boolean;
};

/** Wraps `io`; without a fault it only counts. */
export function createFaultyIo(io: Io, fault: Fault | null): FaultyIo {
  const calls: Call[] = [];
  let isDead = false;

  async function make<T>(call: Call, run: () => Promise<T>): Promise<T> {
    if (isDead) throw new Error('the process is dead');
    calls.push(call);
    if (fault === null || calls.length !== fault.k) return run();
    switch (fault.way) {
      case 'before':
        throw errorOf(call);
      case 'after':
        await run();
        throw errorOf(call);
      case 'dies':
        isDead = true;
        throw new Error('the process dies');
      case 'sleeps':
        // Nobody else gets on while this one holds locks: then there is nothing to see.
        if (!call.holdsLocks) await fault.whileAsleep();
        return run();
    }
  }

  const nudge: Io['nudge'] = async (sessionId) => {
    const call = { kind: 'nudge', label: 'nudge', changes: true, holdsLocks: false } as const;
    try {
      await make(call, () => io.nudge(sessionId));
    } catch (error) {
      // A nudge never throws, it is lost.
      if (isDead) throw error;
    }
  };

  const egress: Egress = async (request) => {
    const call = { kind: 'service', label: 'egress', changes: true, holdsLocks: false } as const;
    try {
      return await make(call, () => {
        if (io.egress === undefined) throw new Error('there is no service');
        return io.egress(request);
      });
    } catch (error) {
      // It never throws: a connection that breaks says nothing about what the service got.
      if (isDead) throw error;
      return { kind: 'failed', reason: 'bad_answer', detail: 'for the test' };
    }
  };

  return {
    egress,
    db: countedDatabase(io.db, make),
    rpc: countedRpc(io.rpc, make),
    firstEndpoint: io.firstEndpoint === undefined ? undefined : countedRpc(io.firstEndpoint, make),
    nudge,
    calls,
    isDead: () => isDead,
  };
}

type Make = <T>(call: Call, run: () => Promise<T>) => Promise<T>;

function errorOf({ kind, label }: Call): Error {
  if (kind === 'rpc') return new AppError('RPC_UNAVAILABLE', { method: label });
  return Object.assign(new Error(`connection terminated at: ${label}`), { code: '08006' });
}

const STATEMENTS: ReadonlySet<string | symbol> = new Set([
  'any',
  'exists',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
]);

const statement = z.object({ sql: z.string() });

/** Known by the beginning of its text. */
function statementOf(query: unknown): Omit<Call, 'holdsLocks'> {
  const text = statement.parse(query).sql.replaceAll(/\s+/g, ' ').trim();
  const changes = /\b(insert|update|delete|pg_notify)\b/.test(text);
  return { kind: 'sql', label: text.slice(0, 70), changes };
}

/** The methods that make statements go through `make`; everything else is the target's own. */
function countedStatements<T extends object>(target: T, holdsLocks: boolean, make: Make): T {
  return new Proxy(target, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || !STATEMENTS.has(name)) return value;
      return (...args: unknown[]): Promise<unknown> =>
        make({ ...statementOf(args[0]), holdsLocks }, () =>
          Promise.resolve(Reflect.apply(value, target, args)),
        );
    },
  });
}

type RunTransaction = <T>(handler: (tx: SqlTransaction) => Promise<T>) => Promise<T>;

function countedDatabase(db: Database, make: Make): Database {
  const transaction: RunTransaction = async (handler) => {
    const sqlCall = { kind: 'sql', changes: true } as const;
    await make({ ...sqlCall, label: 'begin', holdsLocks: false }, async () => {});
    const commit = { ...sqlCall, label: 'commit', holdsLocks: true } as const;
    const committed = Promise.withResolvers<void>();
    let isOver: Promise<void> | undefined;
    // What was broken once stays broken: nothing after it may be committed.
    let isBroken = false;
    const makeUntilBroken: Make = async (call, run) => {
      if (isBroken) throw errorOf(call);
      try {
        return await make(call, run);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    };
    const value = await db.transaction(async (tx) => {
      const answer = await handler(countedStatements(tx, true, makeUntilBroken));
      if (isBroken) throw errorOf(commit);
      const going = Promise.withResolvers<void>();
      isOver = make(commit, () => {
        going.resolve();
        return committed.promise;
      });
      // Either it goes on and ends when the database has committed, or it has failed before.
      await Promise.race([going.promise, isOver]);
      return answer;
    });
    committed.resolve();
    await isOver;
    return value;
  };
  const counted = countedStatements(db, false, make);
  return new Proxy(counted, {
    get: (target, name): unknown =>
      name === 'transaction' ? transaction : Reflect.get(target, name, target),
  });
}

const rpcCall = (method: string): Call => {
  return { kind: 'rpc', label: method, changes: method === 'sendRaw', holdsLocks: false };
};

function countedRpc(rpc: Rpc, make: Make): Rpc {
  return new Proxy(rpc, {
    get: (target, name): unknown => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): Promise<unknown> =>
        make(rpcCall(String(name)), () => Promise.resolve(Reflect.apply(value, target, args)));
    },
  });
}
