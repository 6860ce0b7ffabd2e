import { inWallet, type Mutant } from '../mutant.ts';

/** Checks of a session's spends: limits, cap, replay, recipient. */
export const spendingMutants: readonly Mutant[] = [
  ...inWallet('instructions/transfer_usdc.rs', [
    {
      name: 'session-key',
      find: 'if !address_eq(&state.session_pubkey, session_key.address()) {',
      replace: 'if false {',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'session-signature',
      find: 'checks::signer(session_key, "session_key")?;',
      replace: '',
      noticedBy: ['test two-wallets'],
    },
    {
      name: 'replay-is-noted',
      find: 'session.replay_window.record(self.spend.seq);',
      replace: '',
      noticedBy: ['test replay'],
    },
    {
      name: 'amount-above-zero',
      find: 'if self.amount == 0 {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc'],
    },
    {
      name: 'most-per-transfer',
      find: 'if self.amount > session.max_per_tx {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc'],
    },
    {
      name: 'recipient-list',
      find: 'if !session.allows_recipient(recipient) {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc', 'surface program'],
    },
    {
      name: 'recipients-own-account',
      find: 'checks::token_account(account, recipient, &USDC_MINT, name)?;',
      replace: '',
      noticedBy: ['test transfer-usdc'],
    },
    {
      name: 'recipients-associated-account',
      find: 'if !is_associated_address_with_bump(account.address(), recipient, &USDC_MINT, bump) {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc', 'test recipient-bump'],
    },
    {
      name: 'recipients-bump',
      find: 'if !is_associated_address_with_bump(account.address(), recipient, &USDC_MINT, bump) {',
      replace:
        'if !crate::associated_token::is_associated_address(account.address(), recipient, &USDC_MINT) {',
      noticedBy: ['test recipient-bump'],
    },
    {
      name: 'daily-cap',
      find: 'session.spend_window.spend(now, self.amount, session.daily_cap)?;',
      replace: '',
      noticedBy: ['test spend-window'],
    },
  ]),
  ...inWallet('instructions/spend.rs', [
    {
      name: 'replay',
      find: 'session.replay_window.check(self.seq)?;',
      replace: '',
      noticedBy: ['test replay', 'surface program'],
    },
    {
      name: 'pause',
      find: 'if vault.paused != 0 {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc'],
    },
    {
      name: 'expiry',
      find: 'if now > session.expiry {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc', 'surface program fuzz'],
    },
    {
      name: 'instruction-bit',
      find: 'if session.allowed_instructions & instruction == 0 {',
      replace: 'if false {',
      noticedBy: ['test transfer-usdc'],
    },
  ]),
  ...inWallet('state/session.rs', [
    {
      name: 'session-index',
      find: 'if signed_for != self.index {',
      replace: 'let _ = signed_for; if false {',
      noticedBy: ['test replay'],
    },
  ]),
  ...inWallet('state/spend_window.rs', [
    {
      name: 'cap-is-compared',
      find: 'if total > daily_cap {',
      replace: 'if false {',
      noticedBy: ['test spend-window'],
    },
    {
      name: 'cap-to-the-unit',
      find: 'if total > daily_cap {',
      replace: 'if total > daily_cap.saturating_add(1) {',
      noticedBy: ['test spend-window'],
    },
    {
      name: 'clock-that-goes-back',
      find: 'let seconds = now.max(self.last_seen);',
      replace:
        'let seconds = now; if now < self.last_seen { self.buckets = [0; 25]; self.last_seen = now; }',
      noticedBy: ['test spend-window', 'surface program fuzz'],
    },
    {
      name: 'negative-clock',
      find: 'if now < 0 {',
      replace: 'if false {',
      noticedBy: ['test spend-window'],
    },
    {
      name: 'partly-covered-hour',
      find: 'let dropped = passed_hours.min(BUCKETS) as usize;',
      replace:
        'let dropped = if passed_hours == 0 { 0 } else { (passed_hours + 1).min(BUCKETS) as usize };',
      noticedBy: ['test spend-window'],
    },
    {
      name: 'window-that-rolls',
      find: 'let dropped = passed_hours.min(BUCKETS) as usize;',
      replace:
        'let dropped = if hour / 24 != self.last_seen as u64 / 86_400 { 25 } else { passed_hours.min(BUCKETS) as usize };',
      noticedBy: ['test spend-window', 'surface program'],
    },
  ]),
  ...inWallet('state/replay_window.rs', [
    {
      name: 'sequence-zero',
      find: 'if seq == 0 {',
      replace: 'if false {',
      noticedBy: ['test replay'],
    },
    {
      name: 'sequence-too-old',
      find: 'if self.highest_seq.wrapping_sub(seq) >= WINDOW {',
      replace: 'if false {',
      noticedBy: ['test replay'],
    },
    {
      name: 'sequence-too-far',
      find: 'if ahead > MAX_JUMP {',
      replace: 'if false {',
      noticedBy: ['test replay'],
    },
    {
      name: 'forgotten-sequence-numbers',
      find: 'self.forget_before(seq);',
      replace: 'self.bitmap = [0; 4];',
      noticedBy: ['test replay'],
    },
  ]),
];
