/**
 * LangChain's fake model, which plays the script of this process. Its last text is what it has been
 * told: the results of its calls, as JSON.
 */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { SCRIPT } from './script.ts';

export const model = fakeModel();
for (const { id, name, input: args } of SCRIPT) model.respondWithTools([{ id, name, args }]);
model.respond((messages) => {
  const told = messages.filter((message) => ToolMessage.isInstance(message));
  return new AIMessage(`[${told.map(({ text }) => text).join(',')}]`);
});
