export type {
  ContractGroupRecord,
  ContractRecord,
  LedgerProperties,
  LedgerRecord,
  NodeRecord,
  SpecificationRecord,
  TemplateRecord,
} from './types.ts';
