export { Compilations, type CompilationsOptions } from './compile/compilations.ts';
export { type Compiler, type CompilerOptions, createCompiler } from './compile/compiler.ts';
export type { CompileRequest, CompileResult, CompilerMessage } from './compile/types.ts';
export { ContractRegistry, type ContractRegistryOptions } from './contracts/contract-registry.ts';
export { isContractPropertyName, SmartContracts } from './contracts/smart-contracts.ts';
export { ContractTemplates } from './contracts/template-service.ts';
export type {
  ConstructorInput,
  ContractPlace,
  ContractReader,
  SmartContractInput,
  SmartContractsOptions,
  SmartContractView,
  SpecificationInput,
  SpecificationReference,
  SpecificationView,
  TemplateInput,
  TemplateView,
  TokenInput,
  TokenView,
} from './contracts/types.ts';
export { createRegistry, type RegistryOptions } from './create-registry.ts';
export { implementationProperties, implementationTypes } from './ledgers/explorers/implementations.ts';
export { createLedgerNodes, type LedgerNodes, type LedgerNodesOptions } from './ledgers/ledger-nodes.ts';
export {
  commonLedgerProperties,
  isCommonLedgerProperty,
  remoteLedgerProperties,
} from './ledgers/properties/ledger-properties.ts';
export type {
  ExplorerImplementation,
  ExplorerInput,
  ExplorerUpdate,
  ExplorerView,
  ImplementationInput,
  LedgerInput,
  LedgerUpdate,
  LedgerView,
  NodeInput,
  NodeProbe,
  NodeReport,
  NodeUpdate,
  NodeView,
  ProbedLedger,
  ProjectQuery,
} from './ledgers/types.ts';
export { type VisibleLedgerOptions, visibleLedger } from './ledgers/visible-ledger.ts';
export { builtInUid } from './plugins/built-in.ts';
export { choosePlugin, ledgerTags } from './plugins/choose-plugin.ts';
export { openCredentials, type PluginCredentials } from './plugins/credentials.ts';
export type { PluginsOptions } from './plugins/plugin-operations.ts';
export {
  createPluginUrls,
  type PluginAllowList,
  type PluginLocation,
  type PluginUrls,
} from './plugins/plugin-url.ts';
export { createPlugins } from './plugins/plugins.ts';
export type {
  BuiltInPlugin,
  LegacyPluginInput,
  LegacyPlugins,
  LegacyPluginView,
  LegacyTag,
  NewPlugin,
  PluginCandidate,
  PluginInspection,
  PluginModule,
  PluginQuery,
  PluginRecord,
  Plugins,
  PluginUpdate,
  PluginView,
  WeighedPlugin,
  WrittenPlugin,
} from './plugins/types.ts';
export type { ServiceContext } from './service.ts';
export type { DescribedTechnology, Technologies } from './technologies.ts';
export { type ChaincodePackage, readChaincodePackage } from './templates/chaincode-package.ts';
export type { CodeForm } from './templates/code-form.ts';
export {
  createTimeline,
  maxRecords,
  type NamedRecord,
  type StreamedActivity,
  type Timeline,
  type TimelineFilter,
  type TimelineOptions,
  type TimelineOrder,
  type TimelineQuery,
  type TimelineRecord,
  timelineOrders,
} from './timeline/timeline.ts';
export type {
  ContractGroupRecord,
  ContractRecord,
  DeployedContract,
  LedgerChange,
  LedgerProperties,
  LedgerRecord,
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
