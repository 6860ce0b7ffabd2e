/** Values for the examples of the document: one wallet, one session, one spend. */
export const SAMPLE = {
  walletId: '7d3f8a52-0c4e-4b7a-9d61-5e2b8f1c6a30',
  sessionId: '2b9c4f7e-61d8-4a35-8f02-c7e5d9a1b348',
  spendId: '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57',
  auditId: 'c1f6a2d4-93b7-4e58-a0c9-6d4b2e8f7153',
  owner: '9aE476sH92Vz7DMPyq5WLPkrKWivxeuTKEFKd2sZZcde',
  vaultPda: '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA',
  vaultUsdcAta: 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy',
  sessionPda: '3emsAVdmGKERbHjmGfQ6oZ1e35dkf5iYcS6U4CPKFVaa',
  sessionPubkey: 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL',
  recipient: 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1',
  mint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  signature:
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  apiKey: 'svc_dev_q3vQ0wJ8d0Qm2n3kS7u1yF5cR9xB6tZ4eH2aL8pV0gM',
  txBase64: 'AQAAAAAAAAAAAAAAAAAAAA==',
  nonce: '5f1c0d9a7e3b42866d0f9c1e8a7b3d52',
  iso: '2027-01-15T08:00:00.000Z',
  seconds: 1_800_000_000,
} as const;

export const SAMPLE_POLICY = {
  url_allowlist: [{ pattern: 'https://api.example.com/v1/**', max_per_call: 50_000 }],
  time_window: { start_min: 540, end_min: 1020, days: 31, timezone: 'Europe/Berlin' },
};

export const SAMPLE_SESSION = {
  session_id: SAMPLE.sessionId,
  session_pda: SAMPLE.sessionPda,
  wallet_id: SAMPLE.walletId,
  session_pubkey: SAMPLE.sessionPubkey,
  session_index: '0',
  status: 'live',
  max_per_tx: 1_000_000,
  daily_cap: 5_000_000,
  daily_spent: 250_000,
  daily_remaining: 4_750_000,
  daily_window_start: SAMPLE.seconds,
  daily_resets_at: SAMPLE.seconds + 90_000,
  daily_spent_by_hour: [{ hour: SAMPLE.seconds, amount: 250_000 }],
  expiry: SAMPLE.seconds + 2_592_000,
  allowed_recipients: [SAMPLE.recipient],
  allowed_instructions: 1,
  key_prefix: SAMPLE.apiKey.slice(0, 12),
  created_at: SAMPLE.iso,
};
