import type { Principal } from '@ledger-ops/auth';
import type { Paging } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { Compilations } from '../compile/compilations.ts';
import type { CompilerMessage } from '../compile/types.ts';
import type { GivenProperty, PropertyView } from '../ledgers/properties/property-list.ts';
import type { ServiceContext } from '../service.ts';
import type { Technologies } from '../technologies.ts';
import type { CodeForm } from '../templates/code-form.ts';
import type { ContractGroupRecord, ContractRecord, ListResult } from '../types.ts';

/** An old contract template of section 2.9. */
export interface TemplateView {
  contractTemplateID: string;
  description: string | null;
  id: number;
  name: string;
  resourceId: string;
}

/** An old contract specification of section 2.9: one version of a template. */
export interface SpecificationView {
  checksum: string;
  compilationLanguage: string | null;
  /** Compiled output, JSON text; null inside of a contract, and until it is compiled. */
  compilationSpecification: string | null;
  compilationStatus: 'PENDING' | 'COMPILED' | 'FAILED';
  contractTemplate: TemplateView;
  dateCreated: number;
  dateUpdated: number;
  description: string | null;
  hasPreprocessing: boolean;
  id: number;
  ledgerTechnology: { id: number; ledgerTechnologyID: string };
  /** Sources, Standard JSON; null inside of a contract, and where compiled output was given. */
  preCompilationSpecification: string | null;
  tag: string;
  targetCompilationVersion: string | null;
  /** Ours: what the compiler said, line by line. */
  compilationMessages: CompilerMessage[];
}

/** An old contract of section 2.9. */
export interface SmartContractView {
  /** JSON text: status, language and checksum of the version; null without one. */
  compilationDetails: string | null;
  compileVersion: string | null;
  contractInstanceID: string;
  contractSpecification: SpecificationView | null;
  id: number;
  ledgerID: string;
  name: string;
  properties: PropertyView[];
  resourceId: string;
  types: { id: number; name: string }[];
}

/** An old token of section 2.9. */
export interface TokenView {
  contractInstance: SmartContractView;
  id: number;
  name: string;
  resourceId: string;
  ticker: string;
  tokenID: string;
}

/** Names a version: by its number, or by template and tag. */
export type SpecificationReference =
  | number
  | {
      id?: number | null;
      tag?: string | null;
      contractTemplate?: { contractTemplateID: string } | null;
    };

/** A contract to be registered, by the older registry. */
export interface SmartContractInput {
  contractInstanceID?: string | null;
  ledgerID: string;
  name?: string | null;
  contractSpecification?: SpecificationReference | null;
  /** Its address stands in the property `address`, its interface, without a specification, in `abi`. */
  properties?: readonly GivenProperty[] | null;
  types?: readonly { name: string }[] | null;
  projectId?: string | null;
}

/** A new template. */
export interface TemplateInput {
  contractTemplateID?: string | null;
  name: string;
  description?: string | null;
  projectId?: string | null;
}

/** A new version of a template: compiled output, or sources for our compiler. */
export interface SpecificationInput {
  tag: string;
  description?: string | null;
  ledgerTechnology?: { ledgerTechnologyID: string } | null;
  compilationLanguage?: string | null;
  targetCompilationVersion?: string | null;
  /**
   * Compiled output as the caller read it, by `codeForm`: interface, code, and the whole as JSON text. Where code is no
   * bytecode, the interface may be empty: the contract's own, once it runs.
   */
  compiled?: { interface: string; code: string; text: string } | null;
  /** Solidity, or its Standard JSON as an object or text. */
  preCompilationSpecification?: unknown;
  /** Ours: which contract of the sources, `Name` or `File.sol:Name`. */
  contract?: string | null;
}

/** A token to be registered. */
export interface TokenInput {
  tokenID?: string | null;
  name: string;
  ticker: string;
  contractInstance: { contractInstanceID: string };
  projectId?: string | null;
}

/** The place of a contract, which decides which adapter reads it. */
export interface ContractPlace {
  technology: string;
  /** Absent: it is of no ledger yet. */
  ledgerUid?: string;
  /** The project that the contract is of. */
  projectUid: string;
}

/** An argument of a deployment; its type as the ledger names it. */
export interface ConstructorInput {
  readonly name: string;
  readonly type: string;
}

/** Reads contracts with the knowledge of adapters; given by the caller, who has them. Asked outside of transactions. */
export interface ContractReader {
  /** The interface in the form in which it is stored. @throws Problem `invalid-request`, `no-plugin` */
  readInterface(place: ContractPlace, text: string): Promise<string>;
  /** Arguments that a deployment takes, by an interface; null where it does not tell them. @throws Problem as `readInterface` */
  constructorInputs(place: ContractPlace, text: string): Promise<readonly ConstructorInput[] | null>;
  /**
   * The interface that the ledger itself publishes of a contract; null where it publishes none, undefined where the
   * ledger tells nothing of contracts.
   * @throws Problem `unknown-contract`, `ledger-unavailable`, `ledger-timeout`
   */
  describe?(
    place: ContractPlace & { ledgerUid: string },
    address: string,
  ): Promise<string | null | undefined>;
  /** The address in its one form. @throws Problem `invalid-request` */
  normaliseAddress(place: ContractPlace & { ledgerUid: string }, address: string): Promise<string>;
  /** Refuses an address at which its ledger, if it answers, says that there is none. @throws Problem `unknown-contract` */
  demandContract(place: ContractPlace & { ledgerUid: string }, address: string): Promise<void>;
}

/** The current contract registry for a caller. Every function throws Problem `not-found` and `not-permitted`, too. */
export interface ContractRegistry {
  /** Sortable by groupId, name, createdAt. */
  listGroups(
    principal: Principal,
    projectId: string,
    query: Paging,
  ): Promise<ListResult<ContractGroupRecord>>;
  createGroup(
    principal: Principal,
    input: { name: string; projectId?: string | undefined },
    claim?: IdempotencyClaim,
  ): Promise<ContractGroupRecord>;
  group(principal: Principal, groupId: string): Promise<ContractGroupRecord>;
  /** Gives it another name. */
  updateGroup(principal: Principal, groupId: string, input: { name: string }): Promise<ContractGroupRecord>;
  /** @throws Problem `in-use` while it has contracts */
  deleteGroup(principal: Principal, groupId: string): Promise<void>;
  /** Sortable by contractId, name, ledgerId, nativeReference, createdAt. */
  listContracts(principal: Principal, groupId: string, query: Paging): Promise<ListResult<ContractRecord>>;
  contract(principal: Principal, groupId: string, contractId: string): Promise<ContractRecord>;
  /** Of all groups of a project; absent: the caller's. Sortable as `listContracts`. */
  contractsOfProject(
    principal: Principal,
    projectId: string | undefined,
    query: Paging,
  ): Promise<ListResult<ContractRecord>>;
  /** Whatever its group: of the caller's project, else of another one. */
  findContract(principal: Principal, contractId: string): Promise<ContractRecord>;
  /** @throws Problem `invalid-request`, `already-exists`, `unknown-contract` */
  createContract(
    principal: Principal,
    input: {
      groupId: string;
      contractId?: string | undefined;
      /** Absent: what the ledger publishes of it, where it does. */
      interface?: string | undefined;
      ledgerReference: { ledgerId: string; nativeReference: string };
      name: string | null;
    },
    claim?: IdempotencyClaim,
  ): Promise<ContractRecord>;
  /** Name and interface can change; where it is on its ledger cannot. `name` null: its id. */
  updateContract(
    principal: Principal,
    groupId: string,
    contractId: string,
    input: { name?: string | null; interface?: string },
  ): Promise<ContractRecord>;
  /** @throws Problem `in-use` while tokens are registered on it */
  deleteContract(principal: Principal, groupId: string, contractId: string): Promise<void>;
}

/** The older contract registry for a caller. Every function throws Problem `not-found` and `not-permitted`, too. */
export interface SmartContracts {
  /** Sortable by all scalar members. */
  list(
    principal: Principal,
    query: Paging & { project: string; resourceId?: string | undefined },
  ): Promise<ListResult<SmartContractView>>;
  get(principal: Principal, smartContractId: string): Promise<SmartContractView>;
  /** @throws Problem `invalid-request`, `already-exists`, `conflict` (a version that is not compiled) */
  register(
    principal: Principal,
    input: SmartContractInput,
    claim?: IdempotencyClaim,
  ): Promise<SmartContractView>;
  /** Replaces all properties. @throws Problem `invalid-request` */
  updateProperties(
    principal: Principal,
    smartContractId: string,
    properties: readonly GivenProperty[],
  ): Promise<SmartContractView>;

  /** Sortable by all scalar members; without a project, of the caller's. */
  listTemplates(
    principal: Principal,
    query: Paging & { project?: string | undefined; resourceId?: string | undefined },
  ): Promise<ListResult<TemplateView>>;
  /** @throws Problem `invalid-request`, `already-exists` */
  createTemplate(principal: Principal, input: TemplateInput, claim?: IdempotencyClaim): Promise<TemplateView>;
  template(principal: Principal, templateId: string): Promise<TemplateView>;
  /** Oldest first. */
  listSpecifications(principal: Principal, templateId: string): Promise<SpecificationView[]>;
  /** A page of them, without sources and compiled output. */
  pageOfSpecifications(
    principal: Principal,
    templateId: string,
    query: Paging,
  ): Promise<ListResult<SpecificationView>>;
  specification(principal: Principal, templateId: string, tag: string): Promise<SpecificationView>;
  /**
   * Arguments that a deployment of a version takes, as a plugin of its technology reads the interface; null where nothing tells them.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  constructorInputs(
    principal: Principal,
    templateId: string,
    tag: string,
  ): Promise<readonly ConstructorInput[] | null>;
  /** Sources are PENDING at first. @throws Problem `invalid-request`, `already-exists`, `too-many-requests` */
  createSpecification(
    principal: Principal,
    templateId: string,
    input: SpecificationInput,
    claim?: IdempotencyClaim,
  ): Promise<SpecificationView>;
  /**
   * The form of compiled code in a new version, by which its output is read.
   * @throws Problem `invalid-request`, `no-plugin`
   */
  codeForm(
    principal: Principal,
    templateId: string,
    input: Pick<SpecificationInput, 'ledgerTechnology'>,
  ): Promise<CodeForm>;

  /** @throws Problem `invalid-request`, `already-exists` */
  registerToken(principal: Principal, input: TokenInput, claim?: IdempotencyClaim): Promise<TokenView>;
}

/** Options of the older contract registry. */
export interface SmartContractsOptions extends ServiceContext {
  reader: ContractReader;
  /** Told of sources that are to be compiled. */
  compilations: Pick<Compilations, 'wake'>;
  technologies: Technologies;
}
