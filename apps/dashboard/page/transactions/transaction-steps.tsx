const STEPS = ['Sign in your wallet', 'Send to the network', 'Confirmed by the network'] as const;

/** How far the transaction is; `done` steps are over, the next one is under way. */
export const TransactionSteps = ({ done }: { readonly done: number }) => (
  <div role="status" aria-label="Progress">
    <ol class="transaction-steps">
      {STEPS.map((step, place) => {
        const state = place < done ? 'done' : place === done ? 'current' : 'later';
        return (
          <li key={step} class={`transaction-step transaction-step-${state}`}>
            <span class="transaction-mark" aria-hidden="true">
              {state === 'done' ? '✓' : place + 1}
            </span>
            {step}
            <span class="visually-hidden">
              {state === 'done' ? ': done' : state === 'current' ? ': under way' : ''}
            </span>
          </li>
        );
      })}
    </ol>
  </div>
);
