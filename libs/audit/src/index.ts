/** The audit log: one hash chain of decisions per wallet, never edited. */
export { appendAfter, appendAudit, type AuditHead, lockAuditHead } from './append.ts';
export { recordDenials, recordDenialsOf } from './record-denials.ts';
export type { AuditEntry, Denial } from './entry.ts';
export { listAudit, type AuditRow } from './list.ts';
export { OWNER_ACTIONS } from './owner-actions.ts';
export { verifyAudit, type AuditVerification } from './verify.ts';
