import type { Talk } from '../talk.ts';

/** A part of the conversation: its keys are its own, so chapters can be played at the same time. */
export type Chapter = {
  readonly name: string;
  readonly play: (talk: Talk) => Promise<void>;
};
