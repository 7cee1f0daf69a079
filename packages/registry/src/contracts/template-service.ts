import { type Principal, recordActivity } from '@ledger-ops/auth';
import { invalidRequest, type ListResult, type Paging, Problem } from '@ledger-ops/base';
import { readSchema } from '@ledger-ops/glo-core';
import { type IdempotencyClaim, listPage, once, type Tx } from '@ledger-ops/store';
import { and, desc, eq, getTableColumns, inArray, or, sql } from 'drizzle-orm';
import { checkCompilerVersion, readSource } from '../compile/source.ts';
import { refuseTooManyPending } from '../compile/turns.ts';
import { compilerLanguage } from '../compile/types.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible } from '../service.ts';
import { type DescribedTechnology, demandTechnology } from '../technologies.ts';
import { readChaincodePackage } from '../templates/chaincode-package.ts';
import { type CodeForm, codeForm } from '../templates/code-form.ts';
import { checkCode } from '../templates/creation-code.ts';
import { addSourceSpecification, addSpecification, addTemplate } from '../templates/templates.ts';
import { all, visible } from '../visible.ts';
import { at } from './contract-registry.ts';
import { mostListedBytes } from './contracts.ts';
import type {
  ConstructorInput,
  ContractPlace,
  SmartContractsOptions,
  SpecificationInput,
  SpecificationView,
  TemplateInput,
  TemplateView,
} from './types.ts';
import {
  longColumns,
  noContent,
  shortSpecificationView,
  specificationView,
  type TemplateRow,
  templateView,
} from './views.ts';

/** Maximum number of versions in a list without pages. */
const mostVersions = 1_000;
const technologyPointer = '/technology';

/** Contract templates and their versions, for a caller. Every method also throws Problem `not-found` and `not-permitted`. */
export class ContractTemplates {
  readonly #context: SmartContractsOptions;
  readonly #store: SmartContractsOptions['store'];
  readonly #auth: SmartContractsOptions['auth'];
  readonly #now: SmartContractsOptions['now'];
  readonly #reader: SmartContractsOptions['reader'];
  readonly #compilations: SmartContractsOptions['compilations'];
  readonly #technologies: SmartContractsOptions['technologies'];
  readonly #read: SmartContractsOptions['store']['read'];

  constructor(context: SmartContractsOptions) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#now = context.now;
    this.#reader = context.reader;
    this.#compilations = context.compilations;
    this.#technologies = context.technologies;
    this.#read = this.#store.read;
  }

  /** Sortable by all scalar members. Without a project, lists the templates of the caller's project. */
  async listTemplates(
    principal: Principal,
    {
      projectId,
      resourceId,
      ...query
    }: Paging & { projectId?: string | undefined; resourceId?: string | undefined },
  ): Promise<ListResult<TemplateView>> {
    const table = this.#read.t.template;
    const { uid, id, templateId, name, createdAt } = table;
    const where = all(
      visible(this.#read, principal, uid, 'smart-contract-template'),
      inProject(this.#read, principal, table.projectId, projectId),
      resourceId === undefined || resourceId === '' ? undefined : eq(templateId, resourceId),
    );
    const columns = {
      id,
      templateId,
      name,
      createdAt,
      description: table.description,
    };
    const { items, total } = await listPage(
      this.#read,
      { table, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return { items: items.map(templateView), total };
  }

  /** @throws Problem `invalid-request`, `already-exists` */
  async createTemplate(
    principal: Principal,
    input: TemplateInput,
    claim?: IdempotencyClaim,
  ): Promise<TemplateView> {
    const scope = await demandScope(
      this.#context,
      principal,
      'smart-contract-template:create',
      input.projectId,
    );
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const { projectUid: projectId, ...made } = await addTemplate(
        tx,
        {
          ...(input.templateId === undefined ? {} : { templateId: input.templateId }),
          projectUid: scope,
          name: input.name,
          description: input.description ?? null,
          owner: principal.serviceId,
        },
        this.#context,
      );
      const row = { ...made, projectId };
      await this.#record(tx, principal, 'create', row, row.name);
      return templateView(row);
    });
  }

  async template(principal: Principal, templateId: string): Promise<TemplateView> {
    return templateView(await this.#find(principal, templateId));
  }

  /**
   * Returns all versions, the oldest first. Only the newest versions have sources and compiled output, up to
   * `mostListedBytes`.
   * @throws Problem `conflict` if there are more than `mostVersions`
   */
  async listSpecifications(principal: Principal, templateId: string): Promise<SpecificationView[]> {
    const template = await this.#find(principal, templateId);
    const { specification } = this.#read.t;
    const {
      source,
      compilation,
      interface: _interface,
      code: _code,
      ...short
    } = getTableColumns(specification);
    const rows = await this.#read.db
      .select({
        ...short,
        bytes: sql<number>`coalesce(octet_length(${source}), 0) + octet_length(${compilation})`,
      })
      .from(specification)
      .where(eq(specification.templateUid, template.uid))
      .orderBy(desc(specification.id))
      .limit(mostVersions + 1);
    if (rows.length > mostVersions)
      throw new Problem(
        'conflict',
        `The template ${template.templateId} has more than ${mostVersions} versions. List them in pages: GET /v1/contract-templates/${template.templateId}/versions`,
      );
    let bytes = 0;
    const uids = rows.flatMap((row) => {
      bytes += Number(row.bytes);
      return bytes > mostListedBytes ? [] : [row.uid];
    });
    const contents = await this.#read.db
      .select({ uid: specification.uid, source, compilation })
      .from(specification)
      .where(inArray(specification.uid, uids));
    const byUid = new Map(contents.map((row) => [row.uid, row]));
    return rows
      .toReversed()
      .map((row) =>
        specificationView({ ...row, interface: '', code: '', ...noContent, ...byUid.get(row.uid) }, template),
      );
  }

  /** Returns one page of versions, without sources and compiled output. */
  async pageOfSpecifications(
    principal: Principal,
    templateId: string,
    query: Paging,
  ): Promise<ListResult<SpecificationView>> {
    const template = await this.#find(principal, templateId);
    const table = this.#read.t.specification;
    const where = eq(table.templateUid, template.uid);
    const listing = {
      table,
      without: longColumns,
      where,
      columns: {},
      created: table.id,
      tieBreaker: table.uid,
    };
    const { items, total } = await listPage(this.#read, listing, query);
    return { items: items.map((row) => shortSpecificationView(row, template)), total };
  }

  async specification(principal: Principal, templateId: string, tag: string): Promise<SpecificationView> {
    const template = await this.#find(principal, templateId);
    return specificationView(await this.#version(template, tag), template);
  }

  /**
   * Returns the constructor arguments of a version, as a plugin of its technology reads them from the
   * interface; null if they are unknown.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  async constructorInputs(
    principal: Principal,
    templateId: string,
    tag: string,
  ): Promise<readonly ConstructorInput[] | null> {
    const template = await this.#find(principal, templateId);
    const row = await this.#version(template, tag);
    // Sources that are not compiled have no interface yet, and the interface of some code is known only once
    // the contract runs.
    if (row.interface === null || row.interface === '') return null;
    const place = { technology: row.technology, projectUid: template.projectId };
    return await this.#reader.constructorInputs(place, row.interface);
  }

  /**
   * A version with sources is PENDING at first.
   * @throws Problem `invalid-request`, `already-exists`, `too-many-requests`
   */
  async createSpecification(
    principal: Principal,
    templateId: string,
    input: SpecificationInput,
    claim?: IdempotencyClaim,
  ): Promise<SpecificationView> {
    const template = await this.#find(principal, templateId);
    await this.#auth.demand(principal, 'smart-contract-template:update', template.uid);
    const add = await this.#prepare(input, template);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const made = await add(tx);
      await this.#record(tx, principal, 'create-version', template, made.tag);
      return specificationView({ ...made, attempts: 0, dueAt: 0 }, template);
    });
  }

  /**
   * Returns the form of a new version's compiled output.
   * @throws Problem `invalid-request`, `no-plugin`
   */
  async codeForm(
    principal: Principal,
    templateId: string,
    input: Pick<SpecificationInput, 'technology'>,
  ): Promise<CodeForm> {
    const { projectId } = await this.#find(principal, templateId);
    return codeForm((await this.#technologyOf(input, projectId)).templates);
  }

  async #find(principal: Principal, templateId: string): Promise<TemplateRow> {
    const { template } = this.#read.t;
    const rows = await this.#read.db
      .select()
      .from(template)
      .where(or(eq(template.templateId, templateId), eq(template.uid, templateId)));
    const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
    const { scope: _scope, ...row } = await pickVisible(
      this.#context,
      principal,
      'smart-contract-template',
      scoped,
    );
    return row;
  }

  async #record(tx: Tx, principal: Principal, action: string, row: TemplateRow, target: string) {
    await recordActivity(
      tx,
      principal,
      {
        action,
        service: 'older-contract-registry',
        resourceUid: row.uid,
        resourceId: row.templateId,
        resourceType: 'smart-contract-template',
        scope: row.projectId,
        targetObject: target,
        resourceName: row.name,
      },
      this.#now(),
    );
  }

  /** @throws Problem `not-found` */
  async #version(template: TemplateRow, tag: string) {
    const { specification } = this.#read.t;
    const [row] = await this.#read.db
      .select()
      .from(specification)
      .where(and(eq(specification.templateUid, template.uid), eq(specification.tag, tag)));
    if (row === undefined) throw gone('version of the template');
    return row;
  }

  /** Checks and reads a new version, before the transaction. */
  async #prepare(input: SpecificationInput, template: TemplateRow) {
    const { technology, templates } = await this.#technologyOf(input, template.projectId);
    const { version: tag, description = null, compiled, sources } = input;
    const common = { templateUid: template.uid, tag, description, technology };
    const given = sources !== undefined && sources !== null;
    if (given === (compiled !== undefined)) {
      const detail = 'must contain either compiled output or sources, not both';
      throw invalidRequest([{ pointer: '/compiled', detail }]);
    }
    if (compiled && codeForm(templates) !== 'bytecode') {
      const place = { technology, projectUid: template.projectId };
      const content =
        codeForm(templates) === 'package'
          ? await this.#readPackaged(compiled, place)
          : await this.#readText(compiled, place, templates);
      const version = { ...common, ...content };
      return (tx: Tx) => addSpecification(tx, version, this.#context);
    }
    if (compiled) {
      const parsed = await at('/compiled/abi', () =>
        this.#reader.readInterface({ technology, projectUid: template.projectId }, compiled.interface),
      );
      const version = {
        ...common,
        language: input.language ?? null,
        compilerVersion: input.compilerVersion ?? null,
        compilation: compiledText(compiled.interface, compiled.code),
        interface: parsed,
        code: checkCode(compiled.code, '/compiled/bytecode'),
      };
      return (tx: Tx) => addSpecification(tx, version, this.#context);
    }
    if (!isCompiled(templates)) {
      const detail = `${technology} sources cannot be compiled by this server; provide compiled output`;
      throw invalidRequest([{ pointer: technologyPointer, detail }]);
    }
    if (input.language !== undefined && !isOurs(input.language)) {
      const detail = `must be ${compilerLanguage}`;
      throw invalidRequest([{ pointer: '/language', detail }]);
    }
    checkCompilerVersion(input.compilerVersion ?? null, '/compilerVersion');
    const source = readSource(sources, '/sources');
    const version = { ...common, source, target: input.contract ?? null };
    return async (tx: Tx) => {
      await refuseTooManyPending(tx, template.projectId);
      tx.afterCommit(() => this.#compilations.wake());
      return await addSourceSpecification(tx, version, this.#context);
    };
  }

  /**
   * A chaincode package is complete: no compilation is needed. `compilation` holds a short description, because the
   * package itself is the code.
   */
  async #readPackaged(compiled: CompiledOutput, place: ContractPlace) {
    const pointer = '/compiled';
    const { code, ...described } = await readChaincodePackage(compiled.code, `${pointer}/package`);
    const text = compiled.interface;
    const parsed =
      text === '' ? '' : await at(`${pointer}/interface`, () => this.#reader.readInterface(place, text));
    const compilation = JSON.stringify(described);
    return { language: described.type, compilerVersion: null, compilation, interface: parsed, code };
  }

  /** Reads code in a format that only the plugin understands. */
  async #readText({ code, interface: text }: CompiledOutput, place: ContractPlace, templates: Templates) {
    const pointer = '/compiled';
    const { issues } = readSchema(templates.code).read(code, `${pointer}/code`);
    if (issues.length > 0) throw invalidRequest(issues);
    const parsed =
      text === '' ? '' : await at(`${pointer}/interface`, () => this.#reader.readInterface(place, text));
    return { language: null, compilerVersion: null, compilation: '', interface: parsed, code };
  }

  /**
   * Returns the requested technology of a new version. Default: the first technology that the
   * compiler supports.
   */
  async #technologyOf(
    { technology: given }: Pick<SpecificationInput, 'technology'>,
    projectUid: string,
  ): Promise<{ technology: string; templates: Templates }> {
    const technology = given ?? (await this.#firstCompiled(projectUid));
    const { templates } = await demandTechnology(
      this.#technologies,
      technology,
      projectUid,
      technologyPointer,
    );
    if (templates !== undefined) return { technology, templates };
    const detail = `ledgers of technology ${technology} do not support contract templates`;
    throw invalidRequest([{ pointer: technologyPointer, detail }]);
  }

  async #firstCompiled(projectUid: string): Promise<string> {
    const known = await this.#technologies.known(projectUid);
    const first = [...known].find(([, { templates }]) => templates !== undefined && isCompiled(templates));
    if (first !== undefined) return first[0];
    throw invalidRequest([{ pointer: technologyPointer, detail: 'is required' }]);
  }
}

type Templates = NonNullable<DescribedTechnology['templates']>;
type CompiledOutput = NonNullable<SpecificationInput['compiled']>;

function isCompiled({ languages = [] }: Templates): boolean {
  return languages.some(isOurs);
}

function isOurs(language: string): boolean {
  return language.toLowerCase() === compilerLanguage.toLowerCase();
}

/**
 * Returns compiled output as responses show it. Of submitted output, only the interface and the code are
 * stored.
 */
function compiledText(abi: string, bytecode: string): string {
  // The submitted interface, including members such as `internalType`. For some technologies it is
  // not JSON.
  const member = abi.startsWith('[') ? abi : JSON.stringify(abi);
  return `{"abi":${member},"bytecode":${JSON.stringify(bytecode)}}`;
}
