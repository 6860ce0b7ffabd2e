/**
 * Counts the external calls of a use case and makes one of them fail. Calls are SQL statements, the
 * begin and commit of SQL transactions, RPC methods, nudges and requests to services.
 */
import type { Rpc } from '@agent-wallet/chain';
import type { Database, SqlTransaction } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { z } from 'zod';
import type { Egress } from '@agent-wallet/egress';

/**
 * How the k-th call fails: before it happens, after it happened (its answer is lost), because the
 * process dies, or because the process sleeps while others go on with its work.
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
  /** The endpoint that watches attempts first; undefined when there is only one endpoint. */
  readonly firstEndpoint?: Rpc | undefined;
  readonly nudge: (walletId: string) => Promise<void>;
  /** The client for services; undefined when no service is called. */
  readonly egress?: Egress | undefined;
};

export type FaultyIo = Io & {
  /** The calls so far, in order. */
  readonly calls: readonly Call[];
  readonly isDead: () => boolean;
};

/** One external call. `changes`: it may change a state. */
export type Call = {
  readonly kind: 'sql' | 'rpc' | 'nudge' | 'service';
  readonly label: string;
  readonly changes: boolean;
  /** Whether it is made inside an SQL transaction. */
  readonly holdsLocks: boolean;
};

/** Wraps `io`. Without a fault it only counts. */
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
        // While it holds locks, no other process can go on.
        if (!call.holdsLocks) await fault.whileAsleep();
        return run();
    }
  }

  const nudge: Io['nudge'] = async (walletId) => {
    const call = { kind: 'nudge', label: 'nudge', changes: true, holdsLocks: false } as const;
    try {
      await make(call, () => io.nudge(walletId));
    } catch (error) {
      // A failed nudge is lost; it never throws.
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
      // The client never throws: a broken connection proves nothing about the service.
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

/** A statement is identified by the beginning of its text. */
function statementOf(query: unknown): Omit<Call, 'holdsLocks'> {
  const text = statement.parse(query).sql.replaceAll(/\s+/g, ' ').trim();
  const changes = /\b(insert|update|delete|pg_notify)\b/.test(text);
  return { kind: 'sql', label: text.slice(0, 70), changes };
}

/** Passes the methods that run statements through `make`. */
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
    // A broken transaction stays broken: nothing after the fault may be committed.
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
      // Either the commit goes on and ends with the database's, or it has failed before.
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
