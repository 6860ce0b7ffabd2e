import { AgentWalletError } from '../http/agent-wallet-error.ts';
import { type HttpReply, noReply, parseJson, type SendRequest } from '../http/http-client.ts';
import type { TimeLimit } from '../http/time-limit.ts';
import type { Call } from './calls.ts';
import { pendingReply, type Pending } from './replies.ts';

/** The settings of a call that moves money. */
export type SpendSettings = {
  /** 1 to 255 visible ASCII characters. A repeated call with the same key does not pay twice. */
  readonly idempotencyKey?: string | undefined;
  /** How long the API waits for the outcome: 0 to 60 seconds, 30 by default. */
  readonly waitSeconds?: number | undefined;
};

type Asked = SpendSettings & {
  readonly id?: string;
  /** Undefined parameters are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Calls of the API, with bodies checked before they are sent and replies parsed. */
export type AgentApi = {
  read<Reply>(call: ReplyingCall<Reply>, asked: Asked, limit: TimeLimit): Promise<Reply>;
  spend<Reply>(call: ReplyingCall<Reply>, asked: Asked, limit: TimeLimit): Promise<Reply | Pending>;
  /** The reply as it is, of a service or of the API. */
  send(call: Call<unknown>, asked: Asked, limit: TimeLimit): Promise<HttpReply>;
};

type ReplyingCall<Reply> = Call<Reply> & { readonly reply: object };

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The API behind `sendRequest`. */
export function createAgentApi(sendRequest: SendRequest): AgentApi {
  async function send(call: Call<unknown>, asked: Asked, limit: TimeLimit): Promise<HttpReply> {
    const { idempotencyKey, waitSeconds, id = '', query = {}, headers = {} } = asked;
    if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) {
      const error = 'idempotencyKey must have 1 to 255 visible ASCII characters';
      throw new AgentWalletError({ code: 'BAD_REQUEST', error });
    }
    return sendRequest(
      {
        method: call.method,
        path: `${call.path.replace('{id}', encodeURIComponent(id))}${writeQuery(query)}`,
        headers:
          waitSeconds === undefined ? headers : { ...headers, prefer: `wait=${waitSeconds}` },
        body: call.body === null ? null : writeBody(call, asked.body),
        idempotencyKey: idempotencyKey ?? null,
        passesOn: call.reply === null,
      },
      limit,
    );
  }

  return {
    send,
    read: async (call, asked, limit) => parse(call, await send(call, asked, limit), null),
    spend: async (call, asked, limit) => {
      const idempotencyKey = asked.idempotencyKey ?? newIdempotencyKey();
      const reply = await send(call, { ...asked, idempotencyKey }, limit);
      return pendingIn(reply) ?? parse(call, reply, idempotencyKey);
    },
  };
}

/** A key for one logical call, kept over its retries. */
export const newIdempotencyKey = (): string => crypto.randomUUID();

/** The body of a 202 of the API; null for any other reply. */
export function pendingIn({ status, bytes }: HttpReply): Pending | null {
  if (status !== 202) return null;
  const read = pendingReply.safeParse(parseJson(bytes));
  return read.success ? read.data : null;
}

function writeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const text = new URLSearchParams(Object.fromEntries(given)).toString();
  return text === '' ? '' : `?${text}`;
}

/** JSON in which amounts are decimal strings, as the API takes them. Throws `BAD_REQUEST`. */
function writeBody({ body, path }: Call<unknown>, given: unknown): string {
  const text = JSON.stringify(given, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const checked = body?.safeParse(JSON.parse(text));
  const issue = checked?.error?.issues[0];
  if (issue === undefined) return text;
  const error = `${issue.path.join('.') || 'body'} ${issue.message}`;
  throw new AgentWalletError({ code: 'BAD_REQUEST', error, detail: `not sent to ${path}` });
}

function parse<Reply>(
  call: ReplyingCall<Reply>,
  { status, bytes }: HttpReply,
  idempotencyKey: string | null,
): Reply {
  const read = call.reply?.safeParse(parseJson(bytes));
  if (read?.success) return read.data;
  const error = `${call.method} ${call.path} got a reply ${status} of another form`;
  throw noReply(status, { error, idempotencyKey, cause: read?.error });
}
