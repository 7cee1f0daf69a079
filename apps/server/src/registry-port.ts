import type { Principal } from '@ledger-ops/auth';
import type {
  ContractGroupRecord,
  ContractRecord,
  SpecificationRecord,
  TemplateRecord,
} from '@ledger-ops/registry';
import type { IdempotencyClaim, Page, SortKey } from '@ledger-ops/runtime';

/** How a page is asked for. */
export interface PageQuery {
  page: number;
  size: number;
  sort: SortKey[];
}

/** A contract to be registered. */
export interface NewContract {
  groupId: string;
  /** As the caller gave it. */
  interface: string;
  ledgerId: string;
  nativeReference: string;
  name: string | null;
}

/** A template version to be stored: already compiled output. */
export interface NewSpecification {
  tag: string;
  description: string | null;
  technology: string;
  language: string | null;
  compilerVersion: string | null;
  /** As the caller gave it, JSON text. */
  compilation: string;
  /** Interface as the compiler wrote it. */
  interface: string;
  /** Creation code, `0x` hex. */
  code: string;
}

/**
 * Contract groups, contracts and templates as the routes see them: every function decides by the principal what
 * may be seen and done, and throws Problem (`not-found`, `not-permitted`, `already-exists`, `invalid-request`).
 */
export interface RegistryPort {
  listGroups(principal: Principal, projectId: string, query: PageQuery): Promise<Page<ContractGroupRecord>>;
  createGroup(
    principal: Principal,
    group: { name: string; projectId: string | undefined },
    claim?: IdempotencyClaim,
  ): Promise<ContractGroupRecord>;
  group(principal: Principal, groupId: string): Promise<ContractGroupRecord>;
  listContracts(principal: Principal, groupId: string, query: PageQuery): Promise<Page<ContractRecord>>;
  contract(principal: Principal, groupId: string, contractId: string): Promise<ContractRecord>;
  createContract(
    principal: Principal,
    contract: NewContract,
    claim?: IdempotencyClaim,
  ): Promise<ContractRecord>;
  listTemplates(
    principal: Principal,
    projectId: string,
    query: PageQuery & { resourceId: string | undefined },
  ): Promise<Page<TemplateRecord>>;
  createTemplate(
    principal: Principal,
    template: {
      templateId: string | undefined;
      name: string;
      description: string | null;
      projectId: string | undefined;
    },
    claim?: IdempotencyClaim,
  ): Promise<TemplateRecord>;
  template(principal: Principal, templateId: string): Promise<TemplateRecord>;
  listSpecifications(principal: Principal, templateId: string): Promise<SpecificationRecord[]>;
  specification(principal: Principal, templateId: string, tag: string): Promise<SpecificationRecord>;
  createSpecification(
    principal: Principal,
    templateId: string,
    specification: NewSpecification,
    claim?: IdempotencyClaim,
  ): Promise<SpecificationRecord>;
}
