export { createRegistry, type RegistryOptions } from './create-registry.ts';
export { type ListPlan, listRows } from './list-rows.ts';
export {
  type Activity,
  type Actor,
  recordActivities,
  recordActivity,
} from './timeline/record-activity.ts';
export {
  createTimeline,
  maxRecords,
  type StreamedActivity,
  type Timeline,
  type TimelineOptions,
  type TimelineRecord,
} from './timeline/timeline.ts';
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
