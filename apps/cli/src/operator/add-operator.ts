import type { AddCommands } from '../command-line/parse-command-line.ts';
import { addAudit } from './audit/add-audit.ts';
import { addCatalog } from './catalog/add-catalog.ts';
import { addOps } from './ops/add-ops.ts';

/**
 * The commands that need a login of the database; they are not part of the packed tool. The libraries
 * of the database are loaded when one of them runs.
 */
export const addOperator: AddCommands = ({ group, onCall }) => {
  addAudit({ group: group.command('audit').description('verify the audit log'), onCall });
  const catalog = group.command('catalog').description('the services that agents can pay by slug');
  addCatalog({ group: catalog, onCall });
  addOps({ group: group.command('ops').description('tasks of an operator on call'), onCall });
};
