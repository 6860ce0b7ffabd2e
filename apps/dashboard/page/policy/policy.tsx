import type { Policy as StoredPolicy, PolicyRequest } from '@agent-wallet/sdk/owner';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { LoadError } from '../design/feedback/load-error.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { Skeleton } from '../design/feedback/skeleton.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useLoad } from '../owner/use-load.ts';
import { HoursCard } from './hours/hours-card.tsx';
import { policyChanges } from './policy-changes.ts';
import { draftOf, type PolicyDraft, requestOf } from './policy-draft.ts';
import { SaveBar } from './save/save-bar.tsx';
import { forgetDraft, keepDraft, readDraft } from './save/kept-draft.ts';
import { UrlCard } from './urls/url-card.tsx';
import './policy.css';

/** The off-chain rules of the wallet: which URLs agents may pay, and at which hours they may spend. */
export const Policy = () => {
  const loaded = useLoad('policy', (client, signal) => client.policy({ signal }));
  const { kind, value } = loaded;
  return (
    <>
      <header class="policy-head">
        <h1>Policy</h1>
        <p class="soft">
          The service applies these rules before it builds a transaction. The limits of each session
          apply on chain as well.
        </p>
      </header>
      {kind === 'failed' ? <LoadError loaded={loaded} what="the policy" /> : null}
      {value === undefined && kind === 'loading' ? (
        <div role="status" aria-label="Loading" class="policy-loading">
          <Skeleton height="16rem" />
          <Skeleton height="30rem" />
        </div>
      ) : null}
      {value === undefined ? null : <Editor stored={value} />}
    </>
  );
};

const Editor = ({ stored }: { readonly stored: StoredPolicy }) => {
  const { address, client } = useOwner();
  const [inForce, setInForce] = useState(stored);
  const [kept] = useState(() => readDraft(address));
  const [draft, setDraft] = useState<PolicyDraft>(kept ?? draftOf(inForce));
  const [isRestored, setRestored] = useState(kept !== null);
  const request = requestOf(draft);
  const changes = request === null ? null : policyChanges(inForce, request);
  const isChanged = changes === null || changes.length > 0;

  // What is typed survives a change of the view and a reload, and is not left without a question.
  useEffect(() => {
    if (isChanged) keepDraft(address, draft);
    else forgetDraft(address);
  }, [address, draft, isChanged]);
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);

  const startFrom = (policy: StoredPolicy) => {
    setInForce(policy);
    setDraft(draftOf(policy));
    setRestored(false);
  };
  const save = async (rules: PolicyRequest) => {
    const current = await client.policy();
    if (current.version !== inForce.version) {
      setInForce(current);
      return 'changed_elsewhere' as const;
    }
    startFrom(await client.setPolicy(rules));
    return 'saved' as const;
  };

  return (
    <>
      {isRestored && isChanged ? (
        <Notice
          kind="info"
          title="These are your changes from before."
          action={<Button onClick={() => startFrom(inForce)}>Discard them</Button>}
        >
          They are not saved yet.
        </Notice>
      ) : null}
      <UrlCard
        entries={draft.entries}
        onChange={(entries) => setDraft((last) => ({ ...last, entries }))}
      />
      <HoursCard
        hours={draft.hours}
        onChange={(hours) => setDraft((last) => ({ ...last, hours }))}
      />
      <SaveBar
        version={inForce.version}
        changes={changes}
        onDiscard={() => startFrom(inForce)}
        onSave={async () => (request === null ? 'changed_elsewhere' : save(request))}
      />
    </>
  );
};
