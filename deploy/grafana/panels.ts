/** What the dashboard shows: rows of panels, each with its queries. Money comes first. */

type Query = { readonly expr: string; readonly legend: string };

export type Panel = {
  readonly title: string;
  /** What a reader should know; names of metrics are in the queries. */
  readonly description?: string;
  /** A unit of Grafana. */
  readonly unit: 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops' | 'locale';
  /** One number instead of lines over time. Anything above 0 is red. */
  readonly isAlarm?: true;
  readonly queries: readonly Query[];
};

export type Row = { readonly title: string; readonly panels: readonly Panel[] };

const RATE = '[$__rate_interval]';

const quantiles = (histogram: string, by: string): readonly Query[] =>
  [0.5, 0.9, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${histogram}_bucket${RATE})))`,
    legend: `${by === '' ? '' : `{{${by}}} `}p${quantile * 100}`,
  }));

const alarm = (title: string, expr: string, description: string): Panel => ({
  title,
  description,
  unit: 'short',
  isAlarm: true,
  queries: [{ expr, legend: '' }],
});

const DISCREPANCIES = 'event_without_spend|event_differs|second_landing|spend_without_event';
const CORRECTIONS = 'landed_after_refusal|forked_out|final_outcome_differs';

const money: Row = {
  title: 'Money',
  panels: [
    alarm(
      'Discrepancies',
      `sum(increase(agent_wallet_alerts_total{kind=~"${DISCREPANCIES}"}[$__range]))`,
      'Disagreements of chain and database within the time shown',
    ),
    alarm(
      'Corrections',
      `sum(increase(agent_wallet_alerts_total{kind=~"${CORRECTIONS}"}[$__range]))`,
      'Outcomes that changed after they were reported, within the time shown',
    ),
    alarm(
      'Signer mismatches',
      'sum(increase(agent_wallet_signer_mismatches_total[$__range]))',
      'Transactions that did not match their row; nothing was signed',
    ),
    alarm('Intake closed', 'max(agent_wallet_shut)', '1 after a failover or a restore'),
    {
      title: 'Reserved',
      description: 'USDC that open spends hold',
      unit: 'short',
      queries: [{ expr: 'max(agent_wallet_reserved_base_units) / 1e6', legend: 'USDC' }],
    },
    {
      title: 'What all session keys could move',
      description: 'USDC, by horizon',
      unit: 'short',
      queries: [
        {
          expr: 'max by (horizon) (agent_wallet_blast_radius_base_units) / 1e6',
          legend: '{{horizon}}',
        },
      ],
    },
  ],
};

const spends: Row = {
  title: 'Spends',
  panels: [
    {
      title: 'Answers by outcome',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (outcome, layer) (rate(agent_wallet_spends_answered_total${RATE}))`,
          legend: '{{outcome}} {{layer}}',
        },
      ],
    },
    {
      title: 'Time to a confirmed answer',
      unit: 's',
      queries: quantiles('agent_wallet_spend_answer_seconds', ''),
    },
    {
      title: 'Time by stage',
      unit: 's',
      queries: quantiles('agent_wallet_stage_seconds', 'stage'),
    },
    {
      title: 'Open spends',
      unit: 'short',
      queries: [{ expr: 'max by (status) (agent_wallet_open_spends)', legend: '{{status}}' }],
    },
    {
      title: 'Age of the oldest open spend',
      unit: 's',
      queries: [
        { expr: 'max by (status) (agent_wallet_oldest_open_spend_seconds)', legend: '{{status}}' },
      ],
    },
    {
      title: 'Refusals by code',
      unit: 'reqps',
      queries: [
        {
          expr: `topk(10, sum by (code) (rate(agent_wallet_refusals_total${RATE})) > 0)`,
          legend: '{{code}}',
        },
      ],
    },
  ],
};

const lanes: Row = {
  title: 'Queue and lanes',
  panels: [
    {
      title: 'Jobs',
      unit: 'short',
      queries: [{ expr: 'max by (state) (agent_wallet_queue_jobs)', legend: '{{state}}' }],
    },
    {
      title: 'Age of the oldest job',
      unit: 's',
      queries: [{ expr: 'max(agent_wallet_queue_oldest_job_seconds)', legend: 'oldest' }],
    },
    {
      title: 'Claims',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (outcome) (rate(agent_wallet_claims_total${RATE}))`,
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'First sends',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (outcome) (rate(agent_wallet_first_sends_total${RATE}))`,
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Faults of lanes',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (stage) (rate(agent_wallet_lane_faults_total${RATE}))`,
          legend: '{{stage}}',
        },
      ],
    },
    {
      title: 'Free session keys',
      unit: 'short',
      queries: [{ expr: 'max(agent_wallet_session_keys_free)', legend: 'free' }],
    },
  ],
};

const chain: Row = {
  title: 'Chain',
  panels: [
    {
      title: 'RPC calls by endpoint and outcome',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (endpoint, outcome) (rate(agent_wallet_rpc_calls_total${RATE}))`,
          legend: '{{endpoint}} {{outcome}}',
        },
      ],
    },
    {
      title: 'Duration of RPC calls',
      description: 'The 99th percentile. Calls end after 4 s in the tx-worker and 5 s elsewhere',
      unit: 's',
      queries: [
        {
          expr: `histogram_quantile(0.99, sum by (le, method) (rate(agent_wallet_rpc_call_seconds_bucket${RATE})))`,
          legend: '{{method}}',
        },
      ],
    },
    {
      title: 'Endpoints by state',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (endpoint, state) (agent_wallet_rpc_endpoint_state) > 0',
          legend: '{{endpoint}} {{state}}',
        },
      ],
    },
    {
      title: 'Fee payers',
      description: 'SOL, by index in FEE_PAYER_KEYS',
      unit: 'short',
      queries: [
        {
          expr: 'max by (payer) (agent_wallet_fee_payer_lamports) / 1e9',
          legend: 'fee payer {{payer}}',
        },
      ],
    },
    {
      title: 'Slots that the follower is behind',
      unit: 'short',
      queries: [
        {
          expr: 'max(agent_wallet_chain_head_slot) - max(agent_wallet_followed_slot)',
          legend: 'slots',
        },
      ],
    },
    {
      title: 'Transitions of spends',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (transition) (rate(agent_wallet_spends_settled_total${RATE}))`,
          legend: '{{transition}}',
        },
      ],
    },
  ],
};

const processes: Row = {
  title: 'Processes and database',
  panels: [
    {
      title: 'HTTP requests by status',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (status) (rate(agent_wallet_http_requests_total${RATE}))`,
          legend: '{{status}}',
        },
      ],
    },
    {
      title: 'HTTP requests in flight',
      unit: 'short',
      queries: [{ expr: 'sum(agent_wallet_http_requests_in_flight)', legend: 'in flight' }],
    },
    {
      title: 'Database connections',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (job, state) (agent_wallet_database_connections)',
          legend: '{{job}} {{state}}',
        },
        { expr: 'sum by (job) (agent_wallet_database_waiting_calls)', legend: '{{job}} waiting' },
      ],
    },
    {
      title: 'CPU',
      unit: 'percentunit',
      queries: [
        {
          expr: `rate(process_cpu_seconds_total{job=~"agent-wallet-.+"}${RATE})`,
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'Resident memory',
      unit: 'bytes',
      queries: [
        {
          expr: 'process_resident_memory_bytes{job=~"agent-wallet-.+"}',
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'Event loop lag',
      description: 'The 99th percentile between two scrapes',
      unit: 's',
      queries: [
        {
          expr: 'nodejs_eventloop_lag_p99_seconds{job=~"agent-wallet-.+"}',
          legend: '{{instance}}',
        },
      ],
    },
  ],
};

export const ROWS: readonly Row[] = [money, spends, lanes, chain, processes];
