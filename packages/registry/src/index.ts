export { createRegistry, type RegistryOptions } from './create-registry.ts';
export { type ListPlan, listRows } from './list-rows.ts';
export type {
  ContractGroupRecord,
  ContractRecord,
  GivenProperties,
  LedgerChange,
  LedgerProperties,
  LedgerRecord,
  ListQuery,
  ListResult,
  NewContract,
  NewContractGroup,
  NewLedger,
  NewNode,
  NewSpecification,
  NewTemplate,
  NodeRecord,
  Registry,
  SpecificationRecord,
  TemplateRecord,
} from './types.ts';
