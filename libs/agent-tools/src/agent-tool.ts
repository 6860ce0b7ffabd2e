import { z } from 'zod';
import { inputRefusal, type Refusal, refusalOf, refusalSchema } from './refusal/refusal.ts';

/** What a client may tell its user about a tool, in the words of the Model Context Protocol. */
export type ToolAnnotations = {
  /** The tool changes nothing. */
  readonly readOnlyHint: boolean;
  /** The tool takes something away that the model cannot bring back: it moves money. */
  readonly destructiveHint: boolean;
  /** The same call twice has the effect of one. */
  readonly idempotentHint: boolean;
  /** The tool reaches third parties. */
  readonly openWorldHint: boolean;
};

/** `result` is null when the call was refused, `refusal` when it was not. */
export type ToolOutput<Result = unknown> =
  | { readonly result: Result; readonly refusal: null }
  | { readonly result: null; readonly refusal: Refusal };

/** A tool for a language model, independent of the framework that offers it to the model. */
export type AgentTool = {
  readonly name: string;
  readonly title: string;
  /** What the model reads when it selects a tool. */
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  /** Of `{ result, refusal }`. */
  readonly outputSchema: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Checks `input` itself. Throws nothing but the signal's reason when it is aborted. */
  run(input: unknown, options?: RunOptions): Promise<ToolOutput>;
};

export type RunOptions = {
  /** A framework's id of the call: it is the `request_id` of a model that gives none. */
  readonly callId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets a fault that the model is told nothing about: it could quote a secret. */
  readonly onFault?: ((fault: unknown) => void) | undefined;
};

/** A tool that reads: repeating it costs nothing. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * A tool that moves money. Idempotent, because `request_id` is a part of its arguments: the same
 * call never pays twice.
 */
export const MOVES_MONEY: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};

/** A tool from its schemas and its action. Whatever the action throws becomes a refusal. */
export function defineTool<Input extends z.ZodObject, Result extends z.ZodType>(tool: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly result: Result;
  readonly annotations: ToolAnnotations;
  readonly act: (
    input: z.output<Input>,
    signal: AbortSignal | undefined,
  ) => Promise<z.output<Result> | Refusal>;
}): AgentTool {
  const { name, title, description, input: inputSchema, result, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema: z.object({ result: result.nullable(), refusal: refusalSchema.nullable() }),
    annotations,
    run: async (input, { callId, signal, onFault } = {}) => {
      const given = 'request_id' in inputSchema.shape ? withRequestId(input, name, callId) : input;
      const read = inputSchema.safeParse(given);
      if (!read.success) return refuse(inputRefusal(read.error));
      try {
        const done = await tool.act(read.data, signal);
        return isRefusal(done) ? refuse(done) : { result: done, refusal: null };
      } catch (error) {
        signal?.throwIfAborted();
        return refuse(refusalOf(error, onFault));
      }
    },
  };
}

/**
 * A framework that runs a call again passes the same id. An id that contains the tool's name counts
 * the calls of one conversation, and another conversation has the same: it names no payment.
 */
function withRequestId(input: unknown, tool: string, callId: string | undefined): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const isGiven = 'request_id' in input && input.request_id !== undefined;
  if (isGiven || callId === undefined || callId.includes(tool)) return input;
  return { ...input, request_id: callId };
}

const refuse = (refusal: Refusal): ToolOutput => ({ result: null, refusal });

function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'try_again' in value;
}
