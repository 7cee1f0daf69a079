import { sql } from 'drizzle-orm';
import type { Dialect } from './dialect.ts';

/**
 * Registered records: ledgers with nodes and explorers, plugins, contract groups and contracts, templates, and ledger
 * tokens.
 */
export function registryTables(d: Dialect) {
  return {
    ledger: d.table(
      'ledger',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        /** The numeric id that deprecated records show. */
        id: d.int('id').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** The project that owns the ledger; null if the deployer owns it. In that case, every project can use it. */
        projectId: d.text('project_id'),
        /**
         * Scope in which the id is unique: the uid of the ledger's project, or of the system if the deployer owns the
         * ledger.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        /** Kind of the ledger, in the deployer's words. */
        type: d.text('type').notNull(),
        featured: d.bool('featured').notNull(),
        technology: d.text('technology').notNull(),
        active: d.bool('active').notNull(),
        /** JSON object of the properties that are not secret. */
        properties: d.text('properties').notNull(),
        /** JSON object of the secret properties, sealed with the master key. */
        secrets: d.bytes('secrets'),
        /** Value of the registry's counter at the last change of the ledger or one of its nodes. */
        revision: d.int('revision').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('ledger_scope_id').on(t.scope, t.ledgerId)],
    ),

    node: d.table(
      'node',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        nodeId: d.text('node_id').notNull(),
        /** Scope of the ledger. */
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        name: d.text('name').notNull(),
        uri: d.text('uri').notNull(),
        client: d.text('client'),
        /** JSON object of the properties that are not secret. */
        properties: d.text('properties').notNull(),
        /** JSON object of the secret properties, sealed with the master key. */
        secrets: d.bytes('secrets'),
        /** Position among the ledger's nodes. The default node has the lowest one. */
        position: d.int('position').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('node_scope_id').on(t.scope, t.nodeId),
        d.index('node_ledger').on(t.ledgerUid, t.position),
      ],
    ),

    explorer: d.table(
      'explorer',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        explorerId: d.text('explorer_id').notNull(),
        scope: d.text('scope').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        nodeUid: d.text('node_uid'),
        name: d.text('name').notNull(),
        /** JSON array of {type, properties: {name: value}}. */
        implementations: d.text('implementations').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('explorer_scope_id').on(t.scope, t.explorerId),
        d.index('explorer_ledger').on(t.ledgerUid, t.id),
        d.index('explorer_node').on(t.nodeUid),
      ],
    ),

    plugin: d.table(
      'plugin',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        pluginId: d.text('plugin_id').notNull(),
        /**
         * Uid of the plugin's project, or of the system if the deployer owns the plugin. In that case, every project
         * can use it.
         */
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
        url: d.text('url').notNull(),
        active: d.bool('active').notNull(),
        pluginType: d.text('plugin_type').notNull(),
        /** Version of the adapter interface. */
        implementationVersion: d.text('implementation_version').notNull(),
        /** Semantic version of the plugin's module; null if it is unknown. */
        version: d.text('version'),
        /**
         * JSON list of the ids of the ledgers to which the plugin is restricted, as its module last reported them; null
         * if it serves all ledgers.
         */
        ledgers: d.text('ledgers'),
        /** Integrity of the module (`sha512-…`); null if it is not pinned. */
        integrity: d.text('integrity'),
        /**
         * Encrypted credentials with which this server authenticates to a remote plugin. They can be used only with the
         * plugin's URL.
         */
        credentials: d.bytes('credentials'),
        /** Value of the plugins' counter at the last change of this plugin. */
        revision: d.int('revision').notNull(),
        /**
         * Value of the plugins' counter at the last change that requires reloading the module: it was replaced, or the
         * plugin was activated again. Null if there was none.
         */
        moduleRevision: d.int('module_revision'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('plugin_scope_id').on(t.scope, t.pluginId)],
    ),

    pluginDescription: d.table('plugin_description', {
      pluginUid: d.text('plugin_uid').primaryKey(),
      /**
       * URL and integrity of the module that is described. The description is valid as long as the plugin has the same
       * ones.
       */
      url: d.text('url').notNull(),
      integrity: d.text('integrity'),
      /** JSON object in a format that the runtime defines. */
      description: d.text('description').notNull(),
    }),

    pluginTag: d.table(
      'plugin_tag',
      {
        id: d.int('id').primaryKey(),
        pluginUid: d.text('plugin_uid').notNull(),
        tag: d.text('tag').notNull(),
      },
      (t) => [
        d.uniqueIndex('plugin_tag_once').on(t.pluginUid, t.tag),
        d.index('plugin_tag_tag').on(t.tag, t.pluginUid),
      ],
    ),

    contractGroup: d.table(
      'contract_group',
      {
        groupId: d.text('group_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('contract_group_project').on(t.projectId, t.createdAt)],
    ),

    contract: d.table(
      'contract',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        /** The numeric id that deprecated records show. */
        id: d.int('id').notNull(),
        contractId: d.text('contract_id').notNull(),
        groupId: d.text('group_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        /** The contract's interface as it was registered; empty if the contract has none. */
        interface: d.text('interface').notNull(),
        /** The contract's interface as normalized by the adapter. */
        parsedInterface: d.text('parsed_interface').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        nativeReference: d.text('native_reference').notNull(),
        /** The template version from which the contract was created. */
        specificationUid: d.text('specification_uid'),
        /** JSON array of names. */
        types: d.text('types').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('contract_project_id').on(t.projectId, t.contractId),
        d.index('contract_by_group').on(t.groupId, t.createdAt),
        d.index('contract_ledger').on(t.ledgerUid),
        // Indexes for case-insensitive searches.
        d.index('contract_search_name').on(t.projectId, sql`lower(name)`),
        d.index('contract_search_reference').on(t.projectId, sql`lower(native_reference)`),
      ],
    ),

    contractProperty: d.table(
      'contract_property',
      {
        id: d.int('id').primaryKey(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        /** JSON of the property's value. */
        value: d.text('value').notNull(),
      },
      (t) => [d.uniqueIndex('contract_property_once').on(t.contractUid, t.name)],
    ),

    /** Numeric ids that deprecated records show for names: types of properties and of contracts. */
    namedType: d.table(
      'named_type',
      {
        id: d.int('id').primaryKey(),
        scope: d.text('scope').notNull(),
        name: d.text('name').notNull(),
      },
      (t) => [d.uniqueIndex('named_type_once').on(t.scope, t.name)],
    ),

    ledgerToken: d.table(
      'ledger_token',
      {
        /** Uid of the record and of its resource. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        tokenId: d.text('token_id').notNull(),
        projectId: d.text('project_id').notNull(),
        contractUid: d.text('contract_uid').notNull(),
        name: d.text('name').notNull(),
        ticker: d.text('ticker').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('ledger_token_project_id').on(t.projectId, t.tokenId),
        d.index('ledger_token_contract').on(t.contractUid),
      ],
    ),

    template: d.table(
      'template',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateId: d.text('template_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        description: d.text('description'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('template_project_id').on(t.projectId, t.templateId)],
    ),

    /** One version (tag) of a template. It contains compiled output, or sources to compile. */
    specification: d.table(
      'specification',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateUid: d.text('template_uid').notNull(),
        tag: d.text('tag').notNull(),
        description: d.text('description'),
        technology: d.text('technology').notNull(),
        language: d.text('language'),
        compilerVersion: d.text('compiler_version'),
        /** JSON of `compilationSpecification`, as submitted or as written by the service's compiler. */
        compilation: d.text('compilation').notNull(),
        status: d.text('status').notNull(),
        /** Normalized text of the interface. */
        interface: d.text('interface').notNull(),
        /** Creation code in hex, with `0x`. */
        code: d.text('code').notNull(),
        /** SHA-256 of the code and the interface, in hex. */
        checksum: d.text('checksum').notNull(),
        /** Sources for the service's compiler, as Standard JSON. */
        source: d.text('source'),
        /** The contract to compile, such as `File.sol:Name`. */
        target: d.text('target'),
        /** JSON array of the messages from the service's compiler. */
        messages: d.text('messages').notNull(),
        hasPreprocessing: d.bool('has_preprocessing').notNull(),
        /** Number of compilations that were started. */
        attempts: d.int('attempts').notNull(),
        /**
         * Earliest time of the next compilation. A server that claims the row moves this time forward, so that only one
         * server compiles it.
         */
        dueAt: d.int('due_at').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('specification_tag').on(t.templateUid, t.tag),
        d.index('specification_pending').on(t.dueAt, t.id).where(sql`status = 'PENDING'`),
      ],
    ),
  };
}
