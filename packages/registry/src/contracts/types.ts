import type { Compilations } from '../compile/compilations.ts';
import type { CompilerMessage } from '../compile/types.ts';
import type { ServiceContext } from '../service.ts';
import type { Technologies } from '../technologies.ts';

export interface TemplateView {
  id: number;
  templateId: string;
  name: string;
  description: string | null;
}

/** A version of a contract template. */
export interface SpecificationView {
  id: number;
  template: TemplateView;
  version: string;
  technology: string;
  description: string | null;
  status: 'PENDING' | 'COMPILED' | 'FAILED';
  /** Compiler messages, line by line. */
  messages: CompilerMessage[];
  language: string | null;
  compilerVersion: string | null;
  /** Empty until the version is compiled. */
  checksum: string;
  hasPreprocessing: boolean;
  /** Standard JSON. Null in contract records, and if compiled output was submitted. */
  sources: string | null;
  /** Compiled output, as JSON text. Null in contract records, and until the version is compiled. */
  compiled: string | null;
  /** Milliseconds since the epoch, as is `updatedAt`. */
  createdAt: number;
  updatedAt: number;
}

/** A contract with the fields that only the deprecated registry has: version, properties and types. */
export interface SmartContractView {
  id: number;
  contractId: string;
  ledgerId: string;
  name: string;
  specification: SpecificationView | null;
  properties: { id: number; typeId: number; name: string; value: unknown }[];
  /**
   * True if `properties` was omitted, because the page of contracts would be too long. Absent if it is
   * complete.
   */
  propertiesOmitted?: true;
  types: { id: number; name: string }[];
}

/** A token on a contract. */
export interface TokenView {
  id: number;
  tokenId: string;
  name: string;
  ticker: string;
  contract: SmartContractView;
}

/** Identifies a version: by its number, or by template and version. */
export type SpecificationReference =
  | { readonly id: number }
  | { readonly templateId: string; readonly version: string };

/** A contract to register through the deprecated registry. */
export interface SmartContractInput {
  /** Generated when absent. */
  contractId?: string | undefined;
  ledgerId: string;
  /** Default: the contract's id. */
  name?: string | undefined;
  specification?: SpecificationReference | undefined;
  /** `address` is the address of the contract. `abi` is its interface, if there is no specification. */
  properties: Readonly<Record<string, unknown>>;
  types?: readonly string[] | undefined;
  projectId?: string | undefined;
}

export interface TemplateInput {
  /** Generated when absent. */
  templateId?: string | undefined;
  name: string;
  description?: string | null | undefined;
  projectId?: string | undefined;
}

/** A new version of a template: compiled output, or sources for the service's compiler. */
export interface SpecificationInput {
  version: string;
  description?: string | null | undefined;
  /** Default: the first technology for which this server compiles contracts. */
  technology?: string | undefined;
  language?: string | undefined;
  /** With sources: acceptable compiler versions. */
  compilerVersion?: string | undefined;
  /**
   * Compiled output, read by the caller with `codeForm`. If the code is not bytecode, the interface may be empty: the
   * deployed contract provides its own.
   */
  compiled?: { interface: string; code: string } | undefined;
  /** Solidity, or its Standard JSON as an object or text. */
  sources?: unknown;
  /** The contract to compile: `Name` or `File.sol:Name`. */
  contract?: string | undefined;
}

/** A token to register. */
export interface TokenInput {
  /** Generated when absent. */
  tokenId?: string | undefined;
  name: string;
  ticker: string;
  contractId: string;
  projectId?: string | undefined;
}

/** Location of a contract, which determines the adapter that reads it. */
export interface ContractPlace {
  technology: string;
  /** Uid of the contract's ledger; absent if the contract is not on a ledger yet. */
  ledgerUid?: string;
  /** Project of the contract. */
  projectUid: string;
}

/** A constructor argument. `type` is the type's name on the ledger. */
export interface ConstructorInput {
  readonly name: string;
  readonly type: string;
}

/** Reads contracts with the help of adapters. Implemented by the caller, and called outside transactions. */
export interface ContractReader {
  /**
   * Converts an interface to its stored format.
   * @throws Problem `invalid-request`, `no-plugin`
   */
  readInterface(place: ContractPlace, text: string): Promise<string>;
  /**
   * Returns the constructor arguments according to an interface; null if the interface does not define them.
   * @throws Problem as `readInterface`
   */
  constructorInputs(place: ContractPlace, text: string): Promise<readonly ConstructorInput[] | null>;
  /**
   * Returns the interface that the ledger publishes for a contract. Null if the ledger publishes none;
   * undefined if it provides no information about contracts.
   * @throws Problem `unknown-contract`, `ledger-unavailable`, `ledger-timeout`
   */
  describe?(
    place: ContractPlace & { ledgerUid: string },
    address: string,
  ): Promise<string | null | undefined>;
  /**
   * Normalizes an address.
   * @throws Problem `invalid-request`
   */
  normaliseAddress(place: ContractPlace & { ledgerUid: string }, address: string): Promise<string>;
  /**
   * Rejects an address if the ledger reports that it has no contract there. Accepts it if the
   * ledger does not respond.
   * @throws Problem `unknown-contract`
   */
  demandContract(place: ContractPlace & { ledgerUid: string }, address: string): Promise<void>;
}

export interface SmartContractsOptions extends ServiceContext {
  reader: ContractReader;
  /** Called when sources are waiting to be compiled. */
  compilations: Pick<Compilations, 'wake'>;
  technologies: Technologies;
}
