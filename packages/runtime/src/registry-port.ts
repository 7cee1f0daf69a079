import type { ContractRecord, LedgerRecord, SpecificationRecord, TemplateRecord } from '@ledger-ops/registry';

export interface RegistryPort {
  ledgerByUid(uid: string): Promise<LedgerRecord | null>;
  ledgerByLedgerId(ledgerId: string, projectUid?: string): Promise<LedgerRecord | null>;
  ledgersByLedgerId(ledgerId: string): Promise<readonly LedgerRecord[]>;
  explorerLink(ledgerUid: string, projectUid: string, locator: string): Promise<string | null>;
  contract(projectUid: string, contractId: string): Promise<ContractRecord | null>;
  template(projectUid: string, templateId: string): Promise<TemplateRecord | null>;
  specification(templateUid: string, tag: string): Promise<SpecificationRecord | null>;
}
