// Made of the served document: `pnpm --filter @ledger-ops/server generate`.
export interface paths {
    "/v1/ledger-ops/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an operation
         * @description Takes every type of GLO. The action is followed by the searches or as events.
         */
        post: operations["send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/contract/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a contract
         * @description Like send, for GLOs of type contract_call only.
         */
        post: operations["contractCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/contract-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a registered contract, alternative form
         * @description params are {value} in order, or {name, value} by the names in the contract’s interface.
         */
        post: operations["contractCallAlternative"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/ledger-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an action on a ledger, for example deploy a contract
         * @description method is transfer, contract_call or contract_deploy; params are named as the options of a GLO, plus meta.
         */
        post: operations["ledgerCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/emulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try an operation without sending it
         * @description A dry run of any GLO, with the fee it would cost. Changes nothing. Needs no password; with it, ledgers that answer by who asks (Hyperledger Fabric) are asked as the wallet, else as the identity that reads for the ledger.
         */
        post: operations["emulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send many operations
         * @description Up to 1,000 operations, stored in one transaction: what is answered as accepted is accepted together. Each is checked as send checks it and has an answer of its own; operations depend on each other by their names, in any order; a call names the contract that another one deploys as action:<name>. One that depends on a refused one is refused. With allOrNothing, or where none can be accepted, the answer is 422 (to a single operation: its own problem) and nothing was stored. Operations of a wallet are signed in the order of the batch, as far as their dependencies allow. A nonce that meta demands is checked when it is signed.
         */
        post: operations["sendBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/search/actions/{actionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an action */
        get: operations["getAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/search/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search by action ids
         * @description Unknown ids are left out.
         */
        post: operations["searchActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/search/intents/{intent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search by intent */
        get: operations["searchIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/search/intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search by intents */
        post: operations["searchIntents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/{actionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an action
         * @description An action that is not signed ends at once: FAILED, `cancelled`. Where one is signed, an empty transaction is to take its nonce; whichever of the two the ledger takes decides how it ends. Where ledgers have no nonces (Hyperledger Fabric), what is signed cannot be cancelled: 409. Asked again, it answers the same.
         */
        post: operations["cancelAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/{actionId}/hurry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hurry an action
         * @description The same transaction is sent again at a higher fee, at the same nonce: once for each request. What is not signed yet waits for no fee, and ledgers without nonces take none back: 409.
         */
        post: operations["hurryAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/{actionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow an action
         * @description Sends the current state, then every change, and ends after the final state: what the ledger takes back later (retracted) is told by the events of all actions, the searches and the action itself. With the Last-Event-ID of the final state the answer is 204, so that an EventSource stops.
         */
        get: operations["followAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the actions of an intent or a wallet
         * @description Sends the state of the newest 100 actions, oldest of them first, then every change, until one side ends it. With Last-Event-ID it sends, in place of the newest, every action that changed since that event, in the order of their last changes: no final state is left out, also after a restart or on another server, as long as clocks of servers and the time that a change takes to be stored differ by less than ten seconds: events of the ten seconds before it come again, with the same ids. An event of more than 7 days ago is answered with 410.
         */
        get: operations["followActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all actions
         * @description All actions that the caller may see: of its project, and of all projects for who may read wallets on the whole installation. One request looks at a bounded number of actions, so that a page may be short, or empty, and yet have a next one.
         */
        get: operations["listActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count all actions
         * @description How many actions the caller may see, by status, and by stage and reason of those that are pending.
         */
        get: operations["countActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/{actionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an action with all that is kept of it
         * @description One of the actions that are listed: what it did, its transactions with their times, what it depends on and what depends on it.
         */
        get: operations["describeAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/actions/{actionId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain an action
         * @description In English sentences for people: what the action is, what has happened and when, what it waits for or why it ended, whether it is safe, and what a person can do next, with the requests. Texts change; programs read codes.
         */
        get: operations["explainAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/suspensions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is suspended
         * @description As far as the caller may see what is suspended, newest first.
         */
        get: operations["listSuspensions"];
        put?: never;
        /**
         * Suspend a ledger, a wallet or a project
         * @description From its answer on nothing is signed for it. Operations are still accepted, and wait with those that wait already; `pending` says so. What is signed is still sent and followed to its end, replaced where it is late, and can be cancelled. Deadlines go on. A ledger needs `ledger:update`, a wallet `wallet:update`, a project `project:update`.
         */
        post: operations["suspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/suspensions/{suspensionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a suspension */
        get: operations["getSuspension"];
        put?: never;
        post?: never;
        /**
         * Resume what is suspended
         * @description Its actions go on in the order of their acceptance.
         */
        delete: operations["resume"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/search/wallets/{walletId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search by wallet
         * @description Actions where the wallet is sender or receiver. Who sees the receiving wallet only sees what succeeded, and of it what the ledger makes public: filters and orders heed that alone, and actionId is an id for this wallet that names nothing elsewhere.
         */
        get: operations["searchWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/ops/search/wallets/{walletId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search by wallet, legacy path
         * @deprecated
         * @description Actions where the wallet is sender or receiver. Who sees the receiving wallet only sees what succeeded, and of it what the ledger makes public: filters and orders heed that alone, and actionId is an id for this wallet that names nothing elsewhere.
         */
        get: operations["legacySearchWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/ops/search/wallets/{walletId}/actions/{actionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an action of a wallet, legacy path
         * @deprecated
         */
        get: operations["legacyGetAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of all actions and subscribed contracts
         * @description Sends what happens from now on to the actions that the caller may see, those of `GET /v1/ledger-ops/actions`, and what contracts told to which the project is subscribed, where the caller may read them. With Last-Event-ID it goes on behind that event, also after a restart or on another server, and leaves out none; an event of more than 7 days ago is answered with 410. Each filter is a list, of which one fits. The stream ends with the access token: follow again with a new one.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cloud-wallet/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List wallets */
        get: operations["listWallets"];
        put?: never;
        /**
         * Create or import a wallet
         * @description pluginParameters.walletPassword is required. Ethereum: nothing more makes a new key; privateKey, or keystore with keystorePassword, imports one. Hyperledger Fabric: enrollmentId is registered and enrolled, with enrollmentSecret enrolled; certificate with privateKey (PEM) imports an identity; affiliation and attributes (a JSON object of texts) are those of who is registered, as far as the ledger leaves the choice (ca_affiliations, ca_attributes: nothing unless they say so). Without any of them the wallet id is registered. When an enrolment is broken off, the same request goes on with the same key.
         */
        post: operations["createWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cloud-wallet/wallets/{walletId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a wallet with its balance */
        get: operations["getWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cloud-wallet/wallets/{walletId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Export a wallet’s key */
        post: operations["exportWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cloud-wallet/wallets/{walletId}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change a wallet password */
        put: operations["changeWalletPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cloud-wallet/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of transactions
         * @description One item per txId in the order of the request; an unknown one is FAILED with a 404 problem.
         */
        get: operations["getTransactionsStatus"];
        put?: never;
        /**
         * Send a transaction under an action id of your own
         * @description The same actionId with the same body answers the same transaction; with another body 409. txId is the ledger’s id when it is known within a short wait, else the action id; getTransactionsStatus takes either.
         */
        post: operations["sendTransaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description ApplicationToken is optional here; when given it must be the client’s. Clients show themselves by fields of the body or by HTTP Basic. A refresh token is good for one use, within 7 days, 30 days after the login at most; used a second time, it and everything that came from the same login is revoked.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a token back (RFC 7009)
         * @description A refresh token takes along every token that came from the same login; an access token goes alone, at once and on every server. A token that is unknown, expired or revoked is answered with 200 as well. Clients show themselves as at the token endpoint.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/certs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of access tokens */
        get: operations["authCerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-ops/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of access tokens */
        get: operations["certificates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of access tokens, for standard clients */
        get: operations["jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log a user in
         * @description Starts a session in the HTTP-only cookie SERVICESESSIONID; the session that the browser had ends.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log the user out
         * @description Ends the session on the server, with its unused codes, and takes the cookie away.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/init-user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new user’s name and first password
         * @description With the secret of an invitation’s mail it makes the account and accepts that invitation; others to the same address stay open until the user answers them, logged in.
         */
        post: operations["initUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whose user name and password these are
         * @deprecated
         * @description No session starts. `username` and `password` are texts, or objects with `value`.
         */
        post: operations["authenticateUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Endpoints and capabilities for standard clients (RFC 8414) */
        get: operations["authorizationServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start the authorization code grant with PKCE
         * @description For browsers: shows pages to log in and to agree, then redirects to the application.
         */
        get: operations["authorize"];
        put?: never;
        /** The consent page’s form */
        post: operations["authorizeDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/authorize/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The login page’s form */
        post: operations["authorizeLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/authorize/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The consent page’s way to another user */
        post: operations["authorizeLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List organizations */
        get: operations["adminListOrganizations"];
        put?: never;
        /** Create an organization */
        post: operations["adminCreateOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an organization */
        get: operations["adminGetOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the image of an organization */
        put: operations["adminSetOrganizationImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive an organization
         * @description From the answer on it, and all that stands in it, is only read: tokens, keys and sign-ins of applications and accounts are refused, no operation is accepted, invitations are not taken, webhooks and streams are silent, and lists leave it out. Operations that were accepted go on to their ends: where they shall not, suspend the project before. Its id stays taken. What holds the caller, the console or the last administrator is not archived. Again: nothing happens.
         */
        post: operations["adminArchiveOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations/{organizationId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an organization that is archived
         * @description It is as it was: API tokens, keys and tokens of applications that were not disabled or replaced count again, what users had agreed to begins with a new sign-in, and webhooks tell what happened meanwhile. The caller must hold all that its accounts and applications may do. Of what is not archived: nothing happens.
         */
        post: operations["adminRestoreOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List projects that the caller may see, of one organization or of all */
        get: operations["adminListProjects"];
        put?: never;
        /**
         * Create a project
         * @description The caller becomes its owner.
         */
        post: operations["adminCreateProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a project */
        get: operations["adminGetProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects/{projectId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a project
         * @description From the answer on it, and all that stands in it, is only read: tokens, keys and sign-ins of applications and accounts are refused, no operation is accepted, invitations are not taken, webhooks and streams are silent, and lists leave it out. Operations that were accepted go on to their ends: where they shall not, suspend the project before. Its id stays taken. What holds the caller, the console or the last administrator is not archived. Again: nothing happens.
         */
        post: operations["adminArchiveProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects/{projectId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a project that is archived
         * @description It is as it was: API tokens, keys and tokens of applications that were not disabled or replaced count again, what users had agreed to begins with a new sign-in, and webhooks tell what happened meanwhile. The caller must hold all that its accounts and applications may do. Of what is not archived: nothing happens.
         */
        post: operations["adminRestoreProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the applications of a project */
        get: operations["adminListApps"];
        put?: never;
        /**
         * Create an application
         * @description The caller becomes its owner. It has no token until one is issued (`POST /v1/admin/apps/{appId}/token`). Without `projectId` it is one of the caller’s project.
         */
        post: operations["adminCreateApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an application */
        get: operations["adminGetApp"];
        /**
         * Change an application
         * @description Members that are absent stay as they are.
         */
        put: operations["adminUpdateApp"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the image of an application */
        put: operations["adminSetAppImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive an application
         * @description From the answer on it, and all that stands in it, is only read: tokens, keys and sign-ins of applications and accounts are refused, no operation is accepted, invitations are not taken, webhooks and streams are silent, and lists leave it out. Operations that were accepted go on to their ends: where they shall not, suspend the project before. Its id stays taken. What holds the caller, the console or the last administrator is not archived. Again: nothing happens.
         */
        post: operations["adminArchiveApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an application that is archived
         * @description It is as it was: API tokens, keys and tokens of applications that were not disabled or replaced count again, what users had agreed to begins with a new sign-in, and webhooks tell what happened meanwhile. The caller must hold all that its accounts and applications may do. Of what is not archived: nothing happens.
         */
        post: operations["adminRestoreApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the service accounts of a project */
        get: operations["adminListAccounts"];
        put?: never;
        /**
         * Create a service account
         * @description The caller becomes its owner. It may do nothing until it is given a role (`POST /v1/admin/role-grants`), and has no credential until one is created (`POST /v1/admin/accounts/{accountId}/tokens`). Without `projectId` it is one of the caller’s project.
         */
        post: operations["adminCreateAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a service account */
        get: operations["adminGetAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a service account
         * @description From the answer on it, and all that stands in it, is only read: tokens, keys and sign-ins of applications and accounts are refused, no operation is accepted, invitations are not taken, webhooks and streams are silent, and lists leave it out. Operations that were accepted go on to their ends: where they shall not, suspend the project before. Its id stays taken. What holds the caller, the console or the last administrator is not archived. Again: nothing happens.
         */
        post: operations["adminArchiveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a service account that is archived
         * @description It is as it was: API tokens, keys and tokens of applications that were not disabled or replaced count again, what users had agreed to begins with a new sign-in, and webhooks tell what happened meanwhile. The caller must hold all that its accounts and applications may do. Of what is not archived: nothing happens.
         */
        post: operations["adminRestoreAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API tokens of a service account, oldest first */
        get: operations["adminListTokens"];
        put?: never;
        /**
         * Create an API token; it is shown once
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key.
         */
        post: operations["adminCreateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Enable or disable an API token */
        put: operations["adminSetTokenStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the public keys of a service account, oldest first */
        get: operations["adminListKeys"];
        put?: never;
        /**
         * Create a key; its private part is shown once
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key. The answer is a key file.
         */
        post: operations["adminCreateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Enable or disable a key */
        put: operations["adminSetKeyStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue the token of an application, or another one; it is shown once
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key. The token before is void at once; with `keepFormer` it counts too until it is ended (`DELETE /v1/admin/apps/{appId}/former-token`), and where one before counts still, that one is kept.
         */
        post: operations["adminIssueAppToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/apps/{appId}/former-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the token of an application before the last one
         * @description Nothing changes where it counts no more.
         */
        delete: operations["adminEndFormerAppToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List identities that the caller may see
         * @description Those who hold a role on something that the caller may read; who administers sees all.
         */
        get: operations["adminListIdentities"];
        put?: never;
        /**
         * Create the identity of a person
         * @description A USER is mailed a link with which they set a password. Service accounts are created by `POST /v1/admin/accounts`, and invitations make identities, too.
         */
        post: operations["adminCreateIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identities/{serviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an identity */
        get: operations["adminGetIdentity"];
        /** Set the name of an identity */
        put: operations["adminUpdateIdentity"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identities/{serviceId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the image of an identity */
        put: operations["adminSetIdentityImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identities/{serviceId}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the configuration of an identity, which applications keep for it */
        put: operations["adminSetIdentityConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identities/{serviceId}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the status of an identity
         * @description Unless it is ENABLED, its tokens are refused and its sessions end. The last one that administers stays.
         */
        put: operations["adminSetIdentityStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who the caller is
         * @description Its roles are `GET /v1/admin/role-grants?serviceId=…`, the projects that it may see `GET /v1/admin/projects`.
         */
        get: operations["adminGetMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the roles that there are */
        get: operations["adminListRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/role-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles on a resource, or of an identity
         * @description Without what is inherited from the resources above. Of the two at least one is named.
         */
        get: operations["adminListRoleGrants"];
        put?: never;
        /** Give an identity a role on a resource */
        post: operations["adminGrantRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/role-grants/{resourceId}/{serviceId}/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a role of an identity on a resource back */
        delete: operations["adminRevokeRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/app-role-grants/{resourceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the roles of applications on a resource */
        get: operations["adminListAppRoleGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/app-role-grants/{resourceId}/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give an application this role on a resource, in place of those that it held there */
        put: operations["adminSetAppRole"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/permission-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the caller has permissions on a resource
         * @description A caller may what both the roles of its identity and those of its application grant.
         */
        get: operations["adminCheckPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/identity-permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the roles of an identity grant on a resource, and above it
         * @description For who gives roles there. A request may what the roles of its application grant, too: they are not asked here. Of an identity that is not enabled the list is empty.
         */
        get: operations["adminListIdentityPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invitations that the caller may make, or was sent */
        get: operations["adminListInvitations"];
        put?: never;
        /**
         * Invite somebody into an organization, by mail
         * @description The mail says who invites and into what, and holds a secret with which somebody who has no account sets a first password; with `saml` it holds none. Mails are bounded per organization and per address.
         */
        post: operations["adminInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an invitation */
        get: operations["adminGetInvitation"];
        put?: never;
        post?: never;
        /** Cancel an invitation */
        delete: operations["adminCancelInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invitations/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept or reject an invitation
         * @description By the identity of the address that was invited.
         */
        post: operations["adminAnswerInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/ledgers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active ledgers of a project
         * @description Those of the project, and those of the deployer.
         */
        get: operations["adminListLedgers"];
        put?: never;
        /**
         * Create a ledger
         * @description Nodes that it begins with are asked first: one on another chain is refused, and without a `chain_id` the ledger is on the chain of the first. Usable at once.
         */
        post: operations["adminCreateLedger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/ledgers/{ledgerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a ledger */
        get: operations["adminGetLedger"];
        /**
         * Change a ledger
         * @description Members that are absent stay as they are; `properties` replaces all. Takes effect without a restart, for operations accepted from now on.
         */
        put: operations["adminUpdateLedger"];
        post?: never;
        /** Delete a ledger with its nodes */
        delete: operations["adminDeleteLedger"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/ledgers/{ledgerId}/default-node": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the default node of a ledger */
        get: operations["adminGetDefaultNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/ledgers/{ledgerId}/default-explorer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the default explorer of a ledger
         * @description The first of the caller’s project, else of the deployer.
         */
        get: operations["adminGetDefaultExplorer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the nodes of a ledger, or of a project’s ledgers */
        get: operations["adminListNodes"];
        put?: never;
        /**
         * Add a node to a ledger
         * @description The node is asked first: one on another chain than its ledger is refused. Used from then on, also for what is under way.
         */
        post: operations["adminCreateNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/nodes/{nodeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a node */
        get: operations["adminGetNode"];
        /**
         * Change a node
         * @description Members that are absent stay as they are, as does a `uri` as it was answered; `properties` replaces all. A new address is asked first, and needs `ledger:manage`.
         */
        put: operations["adminUpdateNode"];
        post?: never;
        /** Delete a node */
        delete: operations["adminDeleteNode"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/explorers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the explorers of a project
         * @description Those of the project, and those of the deployer.
         */
        get: operations["adminListExplorers"];
        put?: never;
        /** Create an explorer of a ledger */
        post: operations["adminCreateExplorer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/explorers/{explorerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an explorer */
        get: operations["adminGetExplorer"];
        /**
         * Change an explorer
         * @description Members that are absent stay as they are; `implementations` replaces all.
         */
        put: operations["adminUpdateExplorer"];
        post?: never;
        /** Delete an explorer */
        delete: operations["adminDeleteExplorer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes
         * @description Of resources that the caller may read, by the time at which they were made. At least one of the filters is given. One request looks at a bounded number of changes, so that a page may be short, or empty, and yet have a next one.
         */
        get: operations["adminListActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/permission-evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the caller has permissions on resources
         * @deprecated
         */
        get: operations["listPermissionsEvaluatorResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller holds on a resource
         * @deprecated
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}/has-permission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the caller has all of the permissions on a resource
         * @deprecated
         */
        get: operations["identityOnAppHasPermissionOnResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}/permission-evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which of the permissions the caller lacks on a resource
         * @deprecated
         */
        get: operations["getPermissionsEvaluatorResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a resource
         * @deprecated
         */
        post: operations["createResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/types/{type}/resources/containing/{resourceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the resources of a type whose id contains a text
         * @deprecated
         */
        get: operations["listResourcesContainingResourceIdForResourceType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a resource
         * @deprecated
         */
        get: operations["getResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/types/{type}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all resources of a type that the caller may see
         * @deprecated
         */
        get: operations["listAllResourcesByType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/types/{type}/resources/mine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the resources of a type that the caller's own roles let it see
         * @deprecated
         */
        get: operations["listResourceOfType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/types/{type}/identities/{serviceId}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the resources of a type that an identity's roles let it see
         * @deprecated
         */
        get: operations["listResourcesForIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}/lookup-terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a word under which a resource is found
         * @deprecated
         */
        post: operations["createLookupTerm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/app-identity-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of identities on an application
         * @deprecated
         */
        get: operations["listAppIdentityRoles"];
        put?: never;
        /**
         * Give an identity a role on an application
         * @deprecated
         */
        post: operations["createAppIdentityRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}/app-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of applications on a resource
         * @deprecated
         */
        get: operations["listAppRoles"];
        /**
         * Set the role of an application on a resource
         * @deprecated
         */
        put: operations["setAppRole"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resource-identity-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of an identity on a resource
         * @deprecated
         */
        get: operations["listResourceIdentityRoles"];
        put?: never;
        /**
         * Give an identity a role on a resource
         * @deprecated
         */
        post: operations["createResourceIdentityRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resources/{resourceId}/identities/{serviceId}/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Schedule the end of a role of an identity on a resource
         * @deprecated
         */
        delete: operations["deleteResourceIdentityRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles that there are
         * @deprecated
         */
        get: operations["listRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/resource-identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities that hold a role on resources
         * @deprecated
         */
        get: operations["listIdentitiesOnResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-manager/app-identity-properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what an application keeps of identities
         * @deprecated
         */
        get: operations["listAppIdentityProperties"];
        put?: never;
        /**
         * Keep a property of an identity on an application
         * @deprecated
         */
        post: operations["createAppIdentityProperty"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List identities by their identifiers
         * @deprecated
         */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Create the identity of a person
         * @deprecated
         */
        post: operations["createIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the identity of the caller
         * @deprecated
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an identity
         * @deprecated
         */
        get: operations["getIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the status of an identity
         * @deprecated
         */
        put: operations["updateIdentityStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/search/{searchCriteria}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search identities by a part of their identifier
         * @deprecated
         */
        get: operations["searchIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/search/{searchCriteria}/in-resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search identities that hold a role on resources
         * @deprecated
         */
        get: operations["searchIdentitiesInResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/resources/{resourceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities that hold a role on a resource
         * @deprecated
         */
        get: operations["listIdentitiesOfResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{serviceId}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the configuration of an identity
         * @deprecated
         */
        put: operations["updateIdentityConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{serviceId}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the name of an identity
         * @deprecated
         */
        put: operations["updateIdentityProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{serviceId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the image of an identity
         * @deprecated
         */
        put: operations["setIdentityImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a service account
         * @deprecated
         */
        post: operations["createServiceAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/{emailOrAccountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a service account
         * @deprecated
         */
        get: operations["getServiceAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the service accounts of a project
         * @deprecated
         */
        get: operations["listServiceAccountsOfProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check credentials of a service account
         * @deprecated
         */
        post: operations["validateServiceAccountCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/{accountId}/api-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API tokens of a service account, by their handles
         * @deprecated
         */
        get: operations["listServiceAccountApiTokens"];
        put?: never;
        /**
         * Create an API token; it is shown once
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key. New programs call `POST /v1/admin/accounts/{accountId}/tokens`, which does the same.
         */
        post: operations["createServiceAccountApiToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/api-tokens/{apiToken}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Enable or disable an API token
         * @deprecated
         */
        put: operations["updateServiceAccountApiTokenStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/{accountId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of a service account
         * @deprecated
         */
        get: operations["listServiceAccountKeys"];
        /**
         * Enable or disable a key
         * @deprecated
         */
        put: operations["updateServiceAccountKeyStatus"];
        /**
         * Generate a key; its private part is shown once
         * @deprecated
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key.
         */
        post: operations["generateServiceAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @deprecated
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @deprecated
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @deprecated
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the image of an organization
         * @deprecated
         */
        put: operations["setOrganizationImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of an organization
         * @deprecated
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @deprecated
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @deprecated
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an application
         * @deprecated
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an application
         * @deprecated
         */
        get: operations["getApp"];
        /**
         * Change an application
         * @deprecated
         */
        put: operations["updateApp"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{appId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the image of an application
         * @deprecated
         */
        put: operations["setAppImage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/by-token/{appToken}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an application by its token
         * @deprecated
         */
        get: operations["getAppByToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the applications of a project
         * @deprecated
         */
        get: operations["listAppsOfProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{appId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue or rotate the ApplicationToken; it is shown once
         * @deprecated
         * @description The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key. The token before is void at once; with `keepFormer` it counts too until it is ended (`DELETE /v1/apps/{appId}/former-token`), and where one before counts still, that one is kept.
         */
        post: operations["issueAppToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{appId}/former-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the ApplicationToken before the last one
         * @deprecated
         * @description Nothing changes where it counts no more.
         */
        delete: operations["endFormerAppToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations by their state
         * @deprecated
         */
        get: operations["listInvitations"];
        /**
         * Accept, reject or cancel an invitation
         * @deprecated
         * @description Accepted and rejected by the identity of the address that was invited, cancelled by the inviter or who may invite. `invitationToken` in the query accepts; in the body, `invitationState` says what is answered.
         */
        put: operations["respondToInvitation"];
        /**
         * Invite a user into an organization
         * @deprecated
         * @description The mail says who invites and into what, quotes `emailSubject` and `message`, and holds a secret with which somebody who has no account sets a first password (`initToken` of `POST /v1/auth/init-user`). `invitationToken` names the invitation and proves nothing. With `saml` the mail holds no secret. Mails are bounded per organization and per address.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @deprecated
         */
        get: operations["listOrganizationsForInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/identities/{identityId}/resource-identity-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of an identity
         * @deprecated
         */
        get: operations["listResourceIdentityRolesOfIdentityForInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities that hold a role on resources
         * @deprecated
         */
        get: operations["listIdentitiesForInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/resource-identity-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles that identities hold on a resource
         * @deprecated
         */
        get: operations["listResourceIdentityRolesForInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List resources of a type
         * @deprecated
         */
        get: operations["listResourcesForInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/{imageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an image
         * @description Whoever sees what the image belongs to sees the image. SVG comes as an attachment only.
         */
        get: operations["getImage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List contract groups */
        get: operations["listContractGroups"];
        put?: never;
        /** Register a contract group */
        post: operations["registerContractGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contract group */
        get: operations["getContractGroup"];
        /** Rename a contract group */
        put: operations["updateContractGroup"];
        post?: never;
        /** Delete a contract group */
        delete: operations["deleteContractGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contracts of a group */
        get: operations["listContracts"];
        put?: never;
        /** Register a contract instance */
        post: operations["registerContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contract */
        get: operations["getContract"];
        /**
         * Change a contract
         * @description Its name and interface; what is absent stays. Where it is on its ledger does not change.
         */
        put: operations["updateContract"];
        post?: never;
        /**
         * Delete a contract
         * @description From the registry: on its ledger it stays.
         */
        delete: operations["deleteContract"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contracts of a project
         * @description Of all its groups: those that were registered, and those that were deployed from a template.
         */
        get: operations["listContractsOfProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contracts/{smartContractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a contract by its id
         * @description Whatever its group, which the answer names.
         */
        get: operations["findContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The methods of a contract as an OpenAPI document
         * @description Each method is an operation with typed arguments, for generators of clients.
         */
        get: operations["getContractDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the methods of a contract, and the names of its events
         * @description As the plugin of its ledger reads its interface; types are named as the ledger names them.
         */
        get: operations["listContractMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a method of a contract
         * @description One that only reads answers its value; one that changes something becomes an action, accepted as `send` does, and needs `walletId` and `walletPassword`. A method is named by its name or, where several have it, by its signature: `transfer(address,uint256)`.
         */
        post: operations["callContractMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contract templates of a project */
        get: operations["listContractTemplates"];
        put?: never;
        /**
         * Create a contract template
         * @description Contracts are deployed from its versions, which are added to it.
         */
        post: operations["createContractTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-templates/{templateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contract template */
        get: operations["getContractTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-templates/{templateId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a contract template, oldest first */
        get: operations["listContractTemplateVersions"];
        put?: never;
        /**
         * Add a version to a contract template
         * @description Of sources it is PENDING until it is COMPILED or FAILED, with what the compiler said in `messages`; of compiled output it is COMPILED at once. A version never changes.
         */
        post: operations["createContractTemplateVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-templates/{templateId}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of a contract template */
        get: operations["getContractTemplateVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-templates/{templateId}/versions/{version}/constructor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The arguments of a deployment
         * @description As a plugin of the version’s technology reads its interface: `args` of a deployment, in this order. For forms.
         */
        get: operations["getTemplateConstructor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledgers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active ledgers of a project
         * @deprecated
         * @description Those of the project, and those of the deployer.
         */
        get: operations["listActiveLedgers"];
        put?: never;
        /**
         * Create a ledger
         * @deprecated
         * @description Nodes that it begins with are asked first: one on another chain is refused, and without a `chain_id` the ledger is on the chain of the first. Usable at once.
         */
        post: operations["createLedger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledgers/featured": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the featured ledgers of a project
         * @deprecated
         */
        get: operations["listFeaturedLedgers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledgers/{ledgerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a ledger
         * @deprecated
         */
        get: operations["getLedger"];
        /**
         * Change a ledger
         * @description What is absent stays. Takes effect without a restart, for operations accepted from now on. New programs call `PUT /v1/admin/ledgers/{ledgerId}`, which does the same.
         */
        put: operations["updateLedger"];
        post?: never;
        /**
         * Delete a ledger with its nodes
         * @description New programs call `DELETE /v1/admin/ledgers/{ledgerId}`, which does the same.
         */
        delete: operations["deleteLedger"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes of a project’s ledgers
         * @deprecated
         */
        get: operations["listNodes"];
        put?: never;
        /**
         * Add a node to a ledger
         * @deprecated
         * @description The node is asked first: one on another chain than its ledger is refused. Used from then on, also for what is under way.
         */
        post: operations["createNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/ledgers/{ledgerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes of a ledger
         * @deprecated
         */
        get: operations["listNodesOfLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/ledgers/{ledgerId}/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the default node of a ledger
         * @deprecated
         */
        get: operations["getDefaultNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{nodeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a node
         * @deprecated
         */
        get: operations["getNode"];
        /**
         * Change a node
         * @description What is absent stays. A new address is asked first, and needs `ledger:manage`. New programs call `PUT /v1/admin/nodes/{nodeId}`, which does the same.
         */
        put: operations["updateNode"];
        post?: never;
        /**
         * Delete a node
         * @description New programs call `DELETE /v1/admin/nodes/{nodeId}`, which does the same.
         */
        delete: operations["deleteNode"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks of the project */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Have the events of the project sent to a URL
         * @description What happens from now on to the actions of the project, and what contracts tell to which it is subscribed, by Standard Webhooks. Each of types, ledgers and wallets is a list, of which one fits. The secret is shown once.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        /**
         * Change a webhook
         * @description What is absent stays. Disabled, its pending deliveries are given up; enabled again, it gets what happens from then on: what it missed is for a replay.
         */
        put: operations["updateWebhook"];
        post?: never;
        /** Delete a webhook, with its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another secret
         * @description It is shown once. For 24 hours the one before signs too.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event that is none
         * @description Of type `webhook.test`, signed as all are, at once and once.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was sent to a webhook, and what is to be
         * @description Newest events first. Those that have ended are listed for seven days; DEAD ones were given up.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver events again
         * @description One, by its id, or all from a time on, with some of the minute before it; with the ids that they had.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contract subscriptions of the project */
        get: operations["listContractSubscriptions"];
        put?: never;
        /**
         * Subscribe to the events of a contract
         * @description What the contract tells, from a block on, becomes events `contract.event` of the project, for its webhooks and `GET /v1/events`: each once by its id, decoded by the contract’s interface, when its block is as deep as the ledger’s `confirmations` ask.
         */
        post: operations["createContractSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contract-subscriptions/{subscriptionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contract subscription */
        get: operations["getContractSubscription"];
        /**
         * Pause a contract subscription, go on with it, or change which events it tells
         * @description What is absent stays. PAUSED, nothing is read, and ACTIVE again it goes on where it stood: what the contract told meanwhile is told then. Other names of events hold for what is read from then on. One that was stopped cannot be changed.
         */
        put: operations["updateContractSubscription"];
        post?: never;
        /**
         * Be told no more of a contract
         * @description Events that were read already are still delivered.
         */
        delete: operations["deleteContractSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/late-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what delays events, in all projects
         * @description Webhooks that do not take what they are sent or were disabled for it, and contract subscriptions that are behind or were stopped. Of each at most 100, the latest first.
         */
        get: operations["adminListLateEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explorers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the explorers of a project
         * @deprecated
         * @description Those of the project, and those of the deployer.
         */
        get: operations["listExplorers"];
        put?: never;
        /**
         * Create an explorer of a ledger
         * @description New programs call `POST /v1/admin/explorers`, which does the same.
         */
        post: operations["createExplorer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explorers/{explorerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an explorer
         * @deprecated
         */
        get: operations["getExplorer"];
        /**
         * Change an explorer
         * @description What is absent stays. New programs call `PUT /v1/admin/explorers/{explorerId}`, which does the same.
         */
        put: operations["updateExplorer"];
        post?: never;
        /**
         * Delete an explorer
         * @description New programs call `DELETE /v1/admin/explorers/{explorerId}`, which does the same.
         */
        delete: operations["deleteExplorer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explorers/ledgers/{ledgerId}/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the default explorer of a ledger
         * @deprecated
         * @description The first of the caller’s project, else of the deployer.
         */
        get: operations["getDefaultExplorer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plugins
         * @description Those of the project, and those of the deployer that it may use.
         */
        get: operations["listPlugins"];
        put?: never;
        /**
         * Register a plugin
         * @description Its module is loaded, or the remote plugin asked what it is: what cannot be used is refused with `plugin-refused`, and why.
         */
        post: operations["createPlugin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins/selection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which plugin serves a ledger
         * @description For wallets of the caller’s project, when a request names no plugin; why each other is not chosen, and whether the chosen one can serve the ledger on the server that answers, which opens it for that.
         */
        get: operations["getPluginSelection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins/{pluginId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a plugin, and how it is doing */
        get: operations["getPlugin"];
        /**
         * Change a plugin
         * @description Takes effect without a restart; another module is asked what it is, as at the registration. What was signed through it is followed to its end, also when it is deactivated.
         */
        put: operations["updatePlugin"];
        post?: never;
        /** Delete a plugin */
        delete: operations["deletePlugin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins/{pluginId}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add tags to a plugin */
        post: operations["addPluginTags"];
        /**
         * Remove tags from a plugin
         * @description In the body, or in the query where a proxy drops the bodies of DELETE.
         */
        delete: operations["removePluginTags"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/legacy-plugins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plugins by project, and by tags
         * @deprecated
         */
        get: operations["legacyListPlugins"];
        put?: never;
        /**
         * Create a plugin
         * @deprecated
         */
        post: operations["legacyCreatePlugin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/legacy-plugins/{pluginId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a plugin by its id
         * @deprecated
         */
        get: operations["legacyGetPlugin"];
        /**
         * Change a plugin’s name and URL
         * @deprecated
         */
        put: operations["legacyUpdatePlugin"];
        post?: never;
        /**
         * Delete a plugin
         * @deprecated
         */
        delete: operations["legacyDeletePlugin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/legacy-plugins/{pluginId}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add one tag to a plugin
         * @deprecated
         * @description The tag’s id is given by the service.
         */
        post: operations["legacyAddPluginTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/legacy-plugins/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags of a plugin
         * @deprecated
         */
        get: operations["legacyListPluginTags"];
        put?: never;
        post?: never;
        /**
         * Remove one tag from a plugin
         * @deprecated
         */
        delete: operations["legacyRemovePluginTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/technologies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List technologies of ledgers
         * @description What the plugins of the deployer and of the caller’s project offer, by name: forms for ledgers, nodes, wallets and native content can be made from the JSON Schemas. Of a plugin that is not loaded it is what its module said when it was loaded last; one that was never loaded, as a remote plugin that has not answered yet, is not listed.
         */
        get: operations["listTechnologies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a GLO action
         * @deprecated
         * @description Takes every type of GLO, and contract calls in the form {type, params}.
         */
        post: operations["gatewaySendAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/plugin-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an action through a plugin, new form
         * @deprecated
         * @description The GLO is of type contract_call; ledger names the technology of the ledger ledgerId.
         */
        post: operations["gatewaySendPluginAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/emulations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Emulate a single transaction
         * @deprecated
         * @description Calls a method of a registered contract without sending anything.
         */
        post: operations["gatewayEmulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search a transaction
         * @deprecated
         * @description Any transaction of the ledger by its id. Of an action’s transactions that replace each other, each one leads to the one that the ledger took.
         */
        get: operations["gatewaySearchTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contracts of a project
         * @deprecated
         * @description Those that were registered, and those that were deployed from a template.
         */
        get: operations["listSmartContracts"];
        put?: never;
        /**
         * Register a version of a contract
         * @deprecated
         */
        post: operations["registerSmartContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/{smartContractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a contract by its id
         * @deprecated
         */
        get: operations["getSmartContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/{smartContractId}/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the properties of a contract
         * @deprecated
         * @description The address stays, whether it is given or not.
         */
        put: operations["updateSmartContractProperties"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a token
         * @deprecated
         */
        post: operations["registerToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates of a project
         * @deprecated
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a contract template
         * @deprecated
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/templates/{templateId}/specifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @deprecated
         */
        get: operations["listSpecifications"];
        put?: never;
        /**
         * Create a version of a template
         * @deprecated
         * @description Of sources it is PENDING until it is COMPILED or FAILED, with what the compiler said in compilationMessages; of compiled output it is COMPILED at once.
         */
        post: operations["createSpecification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/templates/{templateId}/specifications/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a template
         * @deprecated
         */
        get: operations["getSpecification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/timeline/resources/{resourceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to a resource
         * @deprecated
         */
        get: operations["listActivitiesOfResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/timeline/services/{service}/actions/{action}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a service did
         * @deprecated
         */
        get: operations["listActivitiesOfAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/timeline/resource-types/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to resources of a type
         * @deprecated
         */
        get: operations["listActivitiesOfType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/timeline/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the timeline
         * @description Sends what happens from now on, or after the event of a Last-Event-ID, to resources that the caller may read then. Nothing is missed between two connections.
         */
        get: operations["followTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/smart-contracts/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a contract
         * @deprecated
         * @description When the action succeeds, the contract is registered in the same moment.
         */
        post: operations["deploySmartContract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives */
        get: operations["liveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether requests should be sent here
         * @description Names no ledger, since anybody may ask: `GET /v1/admin/ledger-health` does, to who may read it.
         */
        get: operations["readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/ledger-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledgers that need attention
         * @description As the server that answers sees them now: those that it cannot follow, and faults of nodes of others. Of the ledgers that the caller may read.
         */
        get: operations["ledgerHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This reference as an OpenAPI 3.1 document */
        get: operations["openApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This reference, for people */
        get: operations["referencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A page of this reference, or a file that pages load
         * @description The page of an operation has the name of its operationId.
         */
        get: operations["referencePart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An event of an action or a contract
         * @description Sent to the URL of each webhook that admits it, signed by Standard Webhooks. Any 2xx takes it; everything else is tried again for three days. Each event comes at least once: leave out what has an id that was seen.
         */
        post: operations["receiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Action: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
        };
        /** @description The same as a CloudEvent 1.0, structured, in JSON. */
        ActionCloudEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /**
             * Format: uri
             * @description The public address of this service.
             */
            source: string;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            /** @enum {string} */
            type: "action.accepted" | "action.sent" | "action.continued" | "action.cancel_requested" | "action.hurry_requested" | "action.succeeded" | "action.failed" | "action.cancelled" | "action.retracted" | "action.reinstated";
            /** @description The action’s id. */
            subject: string;
            data: components["schemas"]["ActionEventData"];
        };
        ActionCounts: {
            status: {
                /** Format: int64 */
                PENDING: number;
                /** Format: int64 */
                SUCCEEDED: number;
                /** Format: int64 */
                FAILED: number;
            };
            /** @description Where those that are pending stand. */
            stage: {
                /** Format: int64 */
                blocked: number;
                /** Format: int64 */
                ready: number;
                /** Format: int64 */
                signed: number;
            };
            /** @description Why those that are pending are so, by the codes of pending reasons. */
            pending: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description When the oldest of those that are pending was accepted; null: none is.
             */
            oldestPendingAt: string | null;
            /** @description False: very many are pending. stage and pending count the newest 10,000 only, and the oldest is looked for among the oldest and the newest 10,000. */
            complete: boolean;
        };
        ActionCreated: {
            /** Format: uuid */
            actionId: string;
            /** @description Equals actionId. */
            id: string;
            /** @description The request's intent. */
            intent: string | null;
            /** @enum {string} */
            status: "PENDING";
            /** @description What meta changed in options; absent when nothing. */
            overrides?: components["schemas"]["Override"][];
        };
        ActionCreator: {
            serviceId: string;
            appId: string;
        };
        ActionDetails: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @enum {string|null} */
            type: "transfer" | "contract_call" | "contract_deploy" | null;
            /** @description Id or address of the contract that is called, or the template of what is deployed. */
            contract: string | null;
            /** @description The method that is called. */
            method: string | null;
            /** @description Wallet or address that receives. */
            recipient: string | null;
            /** @description Native currency that goes along, in the ledger's smallest unit. */
            amount: string | null;
            unit: components["schemas"]["CurrencyUnit"];
            /** @description Paid, in the ledger's smallest unit. */
            fee: string | null;
            /** Format: int64 */
            blockHeight: number | null;
            /**
             * Format: date-time
             * @description When that block was made, as the ledger says; null: it does not, as on Fabric, or not yet.
             */
            blockTime: string | null;
            /**
             * Format: date-time
             * @description Null while it is pending.
             */
            endedAt: string | null;
            creator: components["schemas"]["ActionCreator"];
            /** @description Of the W3C trace that it is accepted and executed in, where traces are recorded. */
            traceId: string;
            /** @description The operation as it was accepted, with what meta changed, and without what is secret. */
            operation: {
                [key: string]: unknown;
            };
            /** @description Of the method or the constructor, as they were sent; null: there are none. */
            arguments: string[] | null;
            /**
             * @description What was asked of it, and is not done yet.
             * @enum {string|null}
             */
            change: "cancel" | "hurry" | null;
            /** @description What meta changed in options. */
            overrides: components["schemas"]["Override"][];
            /** @description Those of the actions it depends on that the caller may see. */
            dependsOn: {
                actionId: string;
                /** @enum {string} */
                status: "PENDING" | "SUCCEEDED" | "FAILED";
            }[];
            /** @description The newest actions that depend on it. */
            dependents: string[];
            /** @description Its transactions, oldest first. */
            attempts: {
                txId: string;
                /**
                 * @description The transaction itself, a raise of its fee, or an empty one at its nonce.
                 * @enum {string}
                 */
                kind: "main" | "bump" | "noop";
                /** Format: int64 */
                sequence: number | null;
                /**
                 * Format: date-time
                 * @description When it was signed.
                 */
                at: string;
                /**
                 * Format: int64
                 * @description The ledger's newest block when it was signed, as far as it was known.
                 */
                signedAtHeight: number | null;
                /**
                 * Format: date-time
                 * @description When it was over for the action.
                 */
                settledAt: string | null;
                /** @description The most that it could take of the native currency, in the ledger's smallest unit. */
                maxCost: string;
                /** @description Of the one that the ledger executed: what was paid. */
                fee: string | null;
                /**
                 * Format: int64
                 * @description Of the same one: its block.
                 */
                blockHeight: number | null;
                /**
                 * Format: int64
                 * @description The last block that may execute it; null: it does not expire.
                 */
                validUntil: number | null;
                /** @description The transaction that was signed next, in its place or after it. */
                replacedBy: string | null;
                /** @description Why it took the place of the one before. */
                reason: string | null;
            }[];
            /**
             * Format: date-time
             * @description Since when it waits for what pending says; null: it does not wait, or that is not known.
             */
            waitingSince: string | null;
            /**
             * Format: date-time
             * @description While it is pending: when it fails unless it is signed by then; null: what is half done goes on.
             */
            deadline: string | null;
            steps: {
                /** Format: date-time */
                accepted: string;
                /** Format: date-time */
                signed: string | null;
                /**
                 * Format: date-time
                 * @description When a node took it first; null: not yet, or not known.
                 */
                sent: string | null;
                /** Format: date-time */
                ended: string | null;
            };
        };
        /** @description One change of an action: the payload of Standard Webhooks. */
        ActionEvent: {
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /** @enum {string} */
            type: "action.accepted" | "action.sent" | "action.continued" | "action.cancel_requested" | "action.hurry_requested" | "action.succeeded" | "action.failed" | "action.cancelled" | "action.retracted" | "action.reinstated";
            /** Format: date-time */
            timestamp: string;
            data: components["schemas"]["ActionEventData"];
        };
        ActionEventData: {
            actionId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @description Sender wallet. */
            walletId: string;
            ledgerId: string;
            intent: string;
            tag: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * @description By this event.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            /** @description Who asked for it; null: the service itself. */
            requestedBy: {
                serviceId: string;
                appId: string;
            } | null;
            /** @description Of ends: the transaction id on the ledger. */
            locator: string | null;
            /** @description Of ends: address of a deployed contract. */
            contractAddress: string | null;
            /**
             * Format: int64
             * @description Of ends.
             */
            blockHeight: number | null;
            /** @description Of ends: what was paid, in the ledger's smallest unit. */
            fee: string | null;
            /** @description Of failures: why. */
            problem: components["schemas"]["Problem"] | null;
        };
        ActionExplanation: {
            /** @description The whole in one sentence. */
            summary: string;
            sentences: components["schemas"]["ExplainedPart"][];
            /** @description What a person can do, best first. */
            next: components["schemas"]["SuggestedStep"][];
        };
        ActionOverview: {
            /** Format: uuid */
            actionId: string;
            /** @description What the older gateway was given to keep with it. */
            context?: string;
            /** @description Address of a deployed contract. */
            contractAddress: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Fri Nov 20 12:30:05 UTC 2026 */
            dateUpdated: string;
            /** @description Action ids that this action depends on. */
            dependencies: string[];
            /**
             * Format: uri
             * @description Where its transaction can be looked at, when an explorer of the ledger is known.
             */
            explorerUrl?: string;
            /** @description What else the ledger told of its end, e.g. the result of the call. */
            details?: {
                [key: string]: unknown;
            };
            /** @description UUID that groups actions; may be empty. */
            intent: string;
            /** @description Null while the action is pending. */
            ledgerId: string | null;
            /** @description Transaction id on the ledger; null while pending. */
            locator: string | null;
            pending?: components["schemas"]["ActionPending"];
            /** @description Why it FAILED. */
            problem?: components["schemas"]["Problem"];
            retracted?: components["schemas"]["ActionRetracted"];
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            tag: string | null;
            /** @description Equals locator. */
            txId: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Sender wallet. */
            walletId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @enum {string|null} */
            type: "transfer" | "contract_call" | "contract_deploy" | null;
            /** @description Id or address of the contract that is called, or the template of what is deployed. */
            contract: string | null;
            /** @description The method that is called. */
            method: string | null;
            /** @description Wallet or address that receives. */
            recipient: string | null;
            /** @description Native currency that goes along, in the ledger's smallest unit. */
            amount: string | null;
            unit: components["schemas"]["CurrencyUnit"];
            /** @description Paid, in the ledger's smallest unit. */
            fee: string | null;
            /** Format: int64 */
            blockHeight: number | null;
            /**
             * Format: date-time
             * @description When that block was made, as the ledger says; null: it does not, as on Fabric, or not yet.
             */
            blockTime: string | null;
            /**
             * Format: date-time
             * @description Null while it is pending.
             */
            endedAt: string | null;
            creator: components["schemas"]["ActionCreator"];
        };
        ActionOverviewPage: {
            actions: components["schemas"]["ActionOverview"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        ActionPage: {
            /** @enum {string} */
            contentType: "ActionPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Action"][];
        };
        /** @description While PENDING: what it waits for. */
        ActionPending: {
            /** @enum {string} */
            stage: "blocked" | "ready" | "signed";
            /**
             * @description The reason, for programs.
             * @enum {string}
             */
            code: "dependencies" | "suspended" | "turn" | "funds" | "fee-cap" | "approvals" | "refused" | "earlier-actions" | "nonce-gap" | "ledger-unavailable" | "plugin-unavailable" | "plugin-fault" | "next-transaction" | "confirmation" | "late" | "expiring" | "ledger-remark" | "change-hindered";
            /** @description The reason, in words. */
            detail: string;
        };
        /** @description The ledger took back the block that the action ended with, and does not show that end any more. Its status stays. */
        ActionRetracted: {
            /** Format: date-time */
            at: string;
            detail: string;
            /** @description Transaction id of what stands there instead. */
            by?: string;
        };
        AddressForm: {
            /** @description As RE2 reads it. */
            pattern: string;
            example: string;
        };
        AdminAccount: {
            accountId: string;
            /** @description Of its identity: who it is in tokens, roles and the timeline. */
            serviceId: string;
            name: string;
            email: string;
            projectId: string;
            /** @description serviceId. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description Since when it, or what it stands in, is archived; null: it is not.
             */
            archivedAt: string | null;
        };
        AdminAccountPage: {
            items: components["schemas"]["AdminAccount"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminActivity: {
            activityId: string;
            service: string;
            action: string;
            resourceType: string;
            resourceId: string;
            projectId: string;
            /** @description More that it was about; may be empty. */
            target: string;
            /** @description Who did it; empty: the service itself. */
            serviceId: string;
            appId: string;
            /** Format: date-time */
            performedAt: string;
            /** Format: date-time */
            recordedAt: string;
        };
        AdminActivityPage: {
            items: components["schemas"]["AdminActivity"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminAnswerInvitationBody: {
            invitationToken: string;
            accept: boolean;
        };
        AdminApp: {
            appId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            projectId: string;
            appUrl: string | null;
            imageUrl: string | null;
            redirectUris: string[];
            /** @description The token before the last one counts too, until it is ended. */
            formerToken: boolean;
            /**
             * Format: date-time
             * @description Since when it, or what it stands in, is archived; null: it is not.
             */
            archivedAt: string | null;
        };
        AdminAppPage: {
            items: components["schemas"]["AdminApp"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminAppRoleGrant: {
            appId: string;
            role: string;
        };
        AdminAppRoleGrants: {
            items: components["schemas"]["AdminAppRoleGrant"][];
        };
        AdminCreateAccountBody: {
            accountId?: string;
            /** @description Without control characters. */
            name: string;
            email?: string;
            projectId?: string;
        };
        AdminCreateAppBody: {
            appId?: string;
            /** @description Without control characters. */
            name: string;
            projectId?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appUrl?: string | null;
            redirectUris?: string[];
        };
        AdminCreateIdentityBody: {
            identifier: string;
            /**
             * @default USER
             * @enum {string}
             */
            type?: "USER" | "SAML";
            /** @description Without control characters. */
            name?: string;
        };
        AdminCreateOrganizationBody: {
            organizationId?: string;
            /** @description Without control characters. */
            name: string;
            /**
             * @description Whether the caller becomes its owner.
             * @default true
             */
            own?: boolean;
        };
        AdminCreateProjectBody: {
            projectId?: string;
            /** @description Without control characters. */
            name: string;
            organizationId: string;
        };
        AdminExplorer: {
            explorerId: string;
            ledgerId: string;
            nodeId: string | null;
            name: string;
            /** @description `system`: of the deployer, shown in every project. */
            projectId: string;
            implementations: {
                type: string;
                /** @description Values by name, of any type; null for a secret, which is never answered. */
                properties: {
                    [key: string]: unknown;
                };
            }[];
        };
        AdminExplorerChange: {
            name?: string;
            nodeId?: string | null;
            /** @description Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`). */
            implementations?: components["schemas"]["AdminNewImplementation"][];
        };
        AdminExplorerPage: {
            items: components["schemas"]["AdminExplorer"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminGrantRoleBody: {
            serviceId: string;
            /** @description resourceId or resourceUid. */
            resourceId: string;
            /** @description Without control characters. */
            role: string;
        };
        AdminIdentity: {
            /** @description Who it is in tokens, roles and the timeline. */
            serviceId: string;
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
            /** @description The person’s address, or that of the account. */
            identifier: string;
            name: string | null;
            imageUrl: string | null;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AdminIdentityConfig: {
            items: {
                key: string;
                value: string;
            }[];
        };
        AdminIdentityPage: {
            items: components["schemas"]["AdminIdentity"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminIdentityPermissions: {
            serviceId: string;
            resourceUid: string;
            permissions: string[];
        };
        AdminImage: {
            data: string;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp" | "svg";
        };
        AdminInvitation: {
            /** Format: int64 */
            invitationId: number;
            /** @description Names the invitation to who was invited; proves nothing. */
            invitationToken: string;
            organizationId: string;
            email: string;
            state: string;
            subject: string | null;
            message: string | null;
            roles: {
                resourceUid: string;
                resourceId: string;
                resourceType: string;
                role: string;
            }[];
            /** @description serviceId. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        AdminInvitationPage: {
            items: components["schemas"]["AdminInvitation"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminInviteBody: {
            organizationId: string;
            email: string;
            /** @description Without control characters. */
            subject?: string | null;
            /** @description Without control characters but line ends and tabs. */
            message?: string | null;
            /** @default false */
            saml?: boolean;
            roles?: {
                resourceId: string;
                /** @description Without control characters. */
                role: string;
            }[];
        };
        AdminKey: {
            /** Format: int64 */
            keyId: number;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            publicKey: string;
            /** @description serviceId. */
            createdBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AdminKeyPage: {
            items: components["schemas"]["AdminKey"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminLedger: {
            /** @description No other ledger has it: those of several projects may have one id. */
            uid: string;
            ledgerId: string;
            name: string;
            technology: string;
            type: string;
            active: boolean;
            featured: boolean;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description Values by name, of any type; null for a secret, which is never answered. */
            properties: {
                [key: string]: unknown;
            };
        };
        AdminLedgerChange: {
            name?: string;
            /** @description Values by name. A secret that is put back as null stays. */
            properties?: {
                [key: string]: unknown;
            };
            type?: string;
            active?: boolean;
            featured?: boolean;
        };
        AdminLedgerPage: {
            items: components["schemas"]["AdminLedger"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminMe: {
            /** @description Who the caller is in tokens, roles and the timeline. */
            serviceId: string;
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
            /** @description The person’s address, or that of the account. */
            identifier: string;
            name: string | null;
        };
        AdminNewExplorer: {
            /** @description Generated when absent. */
            explorerId?: string;
            ledgerId: string;
            nodeId?: string | null;
            name: string;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string;
            /** @description Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`). */
            implementations?: components["schemas"]["AdminNewImplementation"][];
        };
        AdminNewImplementation: {
            type: string;
            /** @description Values by name. A secret that is put back as null stays. */
            properties?: {
                [key: string]: unknown;
            };
        };
        AdminNewKey: {
            accountId: string;
            /** Format: int64 */
            keyId: number;
            /** @description PKCS #8, PEM. */
            privateKey: string;
            tokenUri: string;
        };
        AdminNewLedger: {
            /** @description Generated when absent. */
            ledgerId?: string;
            name: string;
            /**
             * @description Of `GET /v1/technologies`.
             * @example ethereum
             */
            technology: string;
            /** @description Values by name. A secret that is put back as null stays. */
            properties?: {
                [key: string]: unknown;
            };
            type?: string;
            active?: boolean;
            featured?: boolean;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string;
            /** @description Nodes that it begins with, the default node first. */
            nodes?: {
                /** @description Generated when absent. */
                nodeId?: string;
                name?: string;
                client?: string | null;
                /** @description Absolute URL. */
                uri: string;
                /** @description Values by name. A secret that is put back as null stays. */
                properties?: {
                    [key: string]: unknown;
                };
            }[];
        };
        AdminNewNode: {
            /** @description Generated when absent. */
            nodeId?: string;
            name?: string;
            client?: string | null;
            /** @description Absolute URL. */
            uri: string;
            /** @description Values by name. A secret that is put back as null stays. */
            properties?: {
                [key: string]: unknown;
            };
            ledgerId: string;
            /** @description Makes it the default node of its ledger. */
            default?: boolean;
        };
        AdminNewToken: {
            tokenId: string;
            apiToken: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        AdminNode: {
            nodeId: string;
            ledgerId: string;
            name: string;
            client: string | null;
            /** @description Scheme, host and port; `/…` stands for the rest, which may hold credentials. */
            uri: string;
            /** @description Values by name, of any type; null for a secret, which is never answered. */
            properties: {
                [key: string]: unknown;
            };
        };
        AdminNodeChange: {
            name?: string;
            client?: string | null;
            /** @description Absolute URL. */
            uri?: string;
            /** @description Values by name. A secret that is put back as null stays. */
            properties?: {
                [key: string]: unknown;
            };
            default?: boolean;
        };
        AdminNodePage: {
            items: components["schemas"]["AdminNode"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminOrganization: {
            organizationId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            imageUrl: string | null;
            /**
             * Format: date-time
             * @description Since when it, or what it stands in, is archived; null: it is not.
             */
            archivedAt: string | null;
        };
        AdminOrganizationPage: {
            items: components["schemas"]["AdminOrganization"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminPermissionCheck: {
            allowed: boolean;
            missingOfIdentity: string[];
            missingOfApp: string[];
        };
        AdminProject: {
            projectId: string;
            /** @description Names it everywhere, and never changes. */
            uid: string;
            name: string;
            organizationId: string;
            /**
             * Format: date-time
             * @description Since when it, or what it stands in, is archived; null: it is not.
             */
            archivedAt: string | null;
        };
        AdminProjectPage: {
            items: components["schemas"]["AdminProject"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminRole: {
            role: string;
            /** @enum {string} */
            heldBy: "IDENTITY" | "APP";
            description: string;
            permissions: string[];
        };
        AdminRoleGrant: {
            serviceId: string;
            /** @description The person’s address, or that of the account. */
            identifier: string;
            resourceUid: string;
            resourceId: string;
            resourceType: string;
            role: string;
        };
        AdminRoleGrantPage: {
            items: components["schemas"]["AdminRoleGrant"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminRoles: {
            items: components["schemas"]["AdminRole"][];
        };
        AdminSetAppRoleBody: {
            /** @description Without control characters. */
            role: string;
        };
        AdminSetIdentityConfigBody: {
            items: {
                /** @description Without control characters. */
                key: string;
                value: string;
            }[];
        };
        AdminSetIdentityStatusBody: {
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
        };
        AdminSetKeyStatusBody: {
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        AdminSetTokenStatusBody: {
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        AdminToken: {
            tokenId: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** Format: date-time */
            createdAt: string;
        };
        AdminTokenPage: {
            items: components["schemas"]["AdminToken"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        AdminUpdateAppBody: {
            /** @description Without control characters. */
            name?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appUrl?: string | null;
            redirectUris?: string[];
        };
        AdminUpdateIdentityBody: {
            /** @description Without control characters. */
            name: string;
        };
        ApiToken: {
            apiToken: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** Format: int64 */
            dateCreated: number;
        };
        App: {
            appURL: string | null;
            /** Format: int64 */
            id: number;
            imageURL: string | null;
            appId: string;
            name: string;
            projectId: string;
            resourceId: string;
            resourceUUID: string;
            redirectUris: string[];
            /** @description The token before the last one counts too, until it is ended. */
            formerToken: boolean;
        };
        AppIdentityProperty: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            app: components["schemas"]["AppName"];
            name: string;
            value: string;
        };
        AppIdentityRole: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            app: components["schemas"]["AppName"];
            role: components["schemas"]["Role"];
        };
        AppName: {
            appId: string;
            name: string;
        };
        AppPage: {
            /** @enum {string} */
            contentType: "AppPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["App"][];
        };
        AppReference: {
            appId?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        AuthenticateUser: {
            /** @description Kind of credentials: `password`. */
            credentials: string;
            username: string | {
                value: string;
            };
            password: string | {
                value: string;
            };
        };
        AuthenticatedUser: {
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            /** Format: int64 */
            id: number;
            identifier: string;
            identityProfile: {
                displayName: string | null;
            };
            serviceId: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
        };
        AuthorizationServerMetadataAnswer: {
            issuer: string;
        } & {
            [key: string]: unknown;
        };
        BatchAcceptance: {
            /** Format: uuid */
            actionId: string;
            /** @description Equals actionId. */
            id: string;
            /** @description The request's intent. */
            intent: string | null;
            /** @enum {string} */
            status: "PENDING";
            /** @description What meta changed in options; absent when nothing. */
            overrides?: components["schemas"]["Override"][];
            name?: string;
        };
        BatchAnswer: {
            /**
             * Format: int64
             * @description Operations that were accepted.
             */
            accepted: number;
            /** Format: int64 */
            refused: number;
            /** @description Of each operation, in their order. */
            results: (components["schemas"]["BatchAcceptance"] | components["schemas"]["BatchRefusal"])[];
        };
        BatchBody: {
            /**
             * @description Nothing is accepted unless every operation can be.
             * @default false
             */
            allOrNothing?: boolean;
            operations: components["schemas"]["BatchOperation"][];
        };
        BatchOperation: {
            /** @description Names of operations of this batch, and ids of actions. */
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            glo: components["schemas"]["Glo"];
            walletPassword: string;
            /** @description The other wallets that meta names as signers or payers (`x-wallet` in the schema of GET /v1/technologies), by id or address: each of them, once, and no other. On the ledger of walletId; the caller may send from each. */
            wallets?: components["schemas"]["OtherWallet"][];
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
            /** @description By which others of the batch depend on it; not the form of an action id. */
            name?: string;
        };
        BatchRefusal: {
            name?: string;
            /** @enum {string} */
            status: "REFUSED";
            problem: components["schemas"]["Problem"];
        };
        CallOptions: {
            service: components["schemas"]["CallServiceOptions"];
            /** @description A plugin id; empty or absent: chosen by tags. */
            plugin?: string | null;
        };
        CallParameter: {
            name?: string;
            /** @description Text, number, true/false, array or object. */
            value?: unknown;
        };
        CallServiceOptions: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            walletPassword: string;
        };
        CancelActionBody: {
            /**
             * Format: password
             * @description Needed only where nothing is kept that could sign another transaction in the place of the action’s; the answer then says so. It must be right wherever it is given.
             */
            walletPassword?: string;
        };
        CompilerMessage: {
            /** @enum {string} */
            severity: "error" | "warning" | "info";
            message: string;
            file: string | null;
            /** Format: int64 */
            line: number | null;
            /** Format: int64 */
            column: number | null;
        };
        ConsentForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
            /** @enum {string} */
            decision: "approve" | "deny";
        };
        Contract: {
            contractId: string;
            groupId: string;
            /** @description For Ethereum an ABI, as JSON text or human-readable. */
            interface: string;
            ledgerReference: {
                ledgerId: string;
                nativeReference: string;
            };
            /** @description Equals contractId when none was given. */
            name: string;
        };
        ContractCallBody: {
            contractId: string;
            method: string;
            options: components["schemas"]["CallOptions"];
            params?: components["schemas"]["CallParameter"][] | null;
        };
        /** @description The same as a CloudEvent 1.0, structured, in JSON. */
        ContractCloudEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /**
             * Format: uri
             * @description The public address of this service.
             */
            source: string;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            /** @enum {string} */
            type: "contract.event";
            /** @description The contract’s id. */
            subject: string;
            data: components["schemas"]["ContractEventData"];
        };
        ContractConstructor: {
            /** @description Null: nothing tells them, as of sources that are not compiled. */
            inputs: components["schemas"]["ContractMethodParameter"][] | null;
        };
        /** @description What a contract told: the payload of Standard Webhooks. */
        ContractEvent: {
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /** @enum {string} */
            type: "contract.event";
            /** Format: date-time */
            timestamp: string;
            data: components["schemas"]["ContractEventData"];
        };
        ContractEventData: {
            subscriptionId: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            contractId: string;
            contractAddress: string;
            ledgerId: string;
            /** @description Its own on the ledger: the same for each subscription that has it. */
            ledgerEventId: string;
            /** @description Null: the contract's interface does not have it. */
            name: string | null;
            /** @description Decoded, as the name is. */
            args: {
                [key: string]: unknown;
            } | null;
            /** @description As the ledger has it. */
            raw: {
                [key: string]: unknown;
            };
            transactionId: string;
            /** Format: int64 */
            blockHeight: number;
            blockHash: string;
            /**
             * Format: date-time
             * @description Null: the ledger does not say.
             */
            blockTime: string | null;
        };
        ContractGroup: {
            groupId: string;
            name: string;
        };
        ContractGroupPage: {
            /** @enum {string} */
            contentType: "ContractGroupPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ContractGroup"][];
        };
        ContractGroupUpdate: {
            name: string;
            projectId?: unknown;
            groupId?: unknown;
        };
        ContractList: {
            items: components["schemas"]["Contract"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        ContractMethod: {
            name: string;
            /** @description Unique in the contract; calls name it so, or by its name alone. */
            signature: string;
            /** @description It changes nothing: it is asked, and becomes no action. */
            view: boolean;
            inputs: components["schemas"]["ContractMethodParameter"][];
            outputs: components["schemas"]["ContractMethodParameter"][];
        };
        ContractMethodCall: {
            /** @description By the names in the contract’s interface; in order, as an array, where names are missing. */
            arguments?: {
                [key: string]: unknown;
            } | unknown[];
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId?: string;
            walletPassword?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
            /** @description Meta of the GLO, such as a fee. */
            meta?: {
                [key: string]: unknown;
            };
        };
        ContractMethodParameter: {
            name: string;
            type: string;
        };
        ContractMethodResult: {
            /** @description Quantities are decimal text. */
            result?: unknown;
        };
        ContractMethods: {
            methods: components["schemas"]["ContractMethod"][];
            /** @description All names of its events, as subscriptions take them; null: its interface does not tell. */
            events: string[] | null;
        };
        ContractPage: {
            /** @enum {string} */
            contentType: "ContractPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Contract"][];
        };
        ContractSubscription: {
            id: string;
            contractId: string;
            ledgerId: string;
            /** @description Names of events. Null: all. */
            events: string[] | null;
            /**
             * @description STOPPED: for good. Delete it, and subscribe anew.
             * @enum {string}
             */
            status: "ACTIVE" | "PAUSED" | "STOPPED";
            /** @description Why it was stopped, or that its first block is still to come. */
            reason: string | null;
            /**
             * Format: int64
             * @description Of the newest block that was looked through.
             */
            blockHeight: number;
            /**
             * Format: int64
             * @description Blocks, as deep as the ledger asks, that were still to be looked through when it was read last. Null: it was not read yet, or not since it was paused.
             */
            blocksBehind: number | null;
            /**
             * Format: date-time
             * @description Since when it could not be read; it is tried again. Null: it could.
             */
            failingSince: string | null;
            lastError: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        ContractSubscriptionChange: {
            /** @enum {string} */
            status?: "ACTIVE" | "PAUSED";
            /** @description Names of events as the interface has them. Null: all. */
            events?: string[] | null;
        };
        ContractSubscriptionList: {
            subscriptions: components["schemas"]["ContractSubscription"][];
        };
        ContractTemplate: {
            templateId: string;
            name: string;
            description: string | null;
        };
        ContractTemplateList: {
            items: components["schemas"]["ContractTemplate"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        ContractTemplatePage: {
            /** @enum {string} */
            contentType: "ContractTemplatePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["OldContractTemplate"][];
        };
        ContractTemplateVersion: {
            templateId: string;
            /** @description A deployment names `templateId:version`. */
            version: string;
            technology: string;
            description: string | null;
            /**
             * @description Of sources PENDING until they are compiled; only what is COMPILED is deployed.
             * @enum {string}
             */
            status: "PENDING" | "COMPILED" | "FAILED";
            /** @description What the compiler said. */
            messages: components["schemas"]["CompilerMessage"][];
            language: string | null;
            compilerVersion: string | null;
            /** @description SHA-256 of code and interface; empty until it is compiled. */
            checksum: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description As they were given, as the compiler’s Standard JSON; null where compiled output was. */
            sources: string | null;
            /** @description Compiled output, JSON text; of a package its label, type and id. Null until it is compiled. */
            compiled: string | null;
        };
        ContractTemplateVersionList: {
            items: components["schemas"]["ContractTemplateVersionSummary"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        ContractTemplateVersionSummary: {
            templateId: string;
            /** @description A deployment names `templateId:version`. */
            version: string;
            technology: string;
            description: string | null;
            /**
             * @description Of sources PENDING until they are compiled; only what is COMPILED is deployed.
             * @enum {string}
             */
            status: "PENDING" | "COMPILED" | "FAILED";
            /** @description What the compiler said. */
            messages: components["schemas"]["CompilerMessage"][];
            language: string | null;
            compilerVersion: string | null;
            /** @description SHA-256 of code and interface; empty until it is compiled. */
            checksum: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ContractUpdate: {
            /** @description Null: its id. */
            name?: string | null;
            interface?: string;
            groupId?: unknown;
            contractId?: unknown;
            ledgerReference?: unknown;
        };
        CreateAppBody: {
            /** @description Without control characters. */
            name: string;
            appId?: string;
            projectId?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appURL?: string | null;
            redirectUris?: string[];
        };
        CreateAppIdentityPropertyBody: {
            identity: string | components["schemas"]["IdentityReference"];
            app: string | components["schemas"]["AppReference"];
            /** @description Without control characters. */
            name: string;
            value: string;
        };
        CreateAppIdentityRoleBody: {
            identity: string | components["schemas"]["IdentityReference"];
            app: string | components["schemas"]["AppReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        CreateContractBody: {
            groupId?: string;
            /** @description May be absent where the ledger publishes it (Hyperledger Fabric). */
            interface?: string;
            ledgerReference: {
                ledgerId: string;
                nativeReference: string;
            };
            name?: string | null;
            contractId?: unknown;
        };
        CreateContractGroupBody: {
            name: string;
            projectId?: string;
            groupId?: unknown;
        };
        CreateContractSubscriptionBody: {
            /** @description Of a registered contract of the project. */
            contractId: string;
            /** @description Names of events as the interface has them. Absent: all. */
            events?: string[] | null;
            /**
             * Format: int64
             * @description Height of the first block. Absent: what comes from now on.
             */
            fromBlock?: number | null;
        };
        CreateContractTemplateBody: {
            /** @description Generated when absent. */
            templateId?: string;
            name: string;
            description?: string | null;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string;
        };
        CreateContractTemplateVersionBody: {
            version: string;
            /** @description Sources: Solidity, or the compiler’s Standard JSON; imports come from the sources and from @openzeppelin/contracts. Or compiled output, JSON or its text, with abi and bytecode as solc, Hardhat and Foundry write them. Where code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with it in `package` and the interface, such as contract metadata, in `interface`. Other code: a text, or an object with it in `code` and the interface in `interface`. */
            code: string | Record<string, never>;
            /** @description Which contract of the sources: `Name` or `File.sol:Name`; absent: the only one. */
            contract?: string;
            /** @description With sources: versions of the compiler that will do, such as `^0.8.26`. */
            compilerVersion?: string;
            /**
             * @description Absent: the first of `GET /v1/technologies` that is compiled here.
             * @example ethereum
             */
            technology?: string;
            description?: string | null;
        };
        CreateExplorerBody: {
            /** @description Generated when absent. */
            explorerID?: string | null;
            ledgerID: string;
            nodeID?: string | null;
            name: string;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string | null;
            /** @description Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`). */
            implementations?: components["schemas"]["GivenImplementation"][] | null;
        };
        CreateIdentityBody: {
            identifier: string;
            /**
             * @default USER
             * @enum {string}
             */
            type?: "USER" | "SAML" | "SERVICE";
            identityProfile?: {
                /** @description Without control characters. */
                displayName?: string | null;
            };
        };
        CreateLedgerBody: {
            /** @description Generated when absent. */
            ledgerID?: string | null;
            name: string;
            ledgerTechnology: {
                /**
                 * @description Of `GET /v1/technologies`.
                 * @example ethereum
                 */
                ledgerTechnologyID: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
            type?: {
                name: string;
            } | null;
            active?: boolean | null;
            featured?: boolean | null;
            /** @description Id of the project; absent: that of the caller’s application. `system`: of the deployer. */
            projectId?: string | null;
            /** @description Nodes that it begins with, the default node first. */
            nodes?: {
                /** @description Generated when absent. */
                nodeID?: string | null;
                name?: string | null;
                client?: string | null;
                options: {
                    uri: string;
                };
                properties?: components["schemas"]["GivenProperty"][] | null;
            }[] | null;
        };
        CreateLegacyPluginBody: {
            name: string;
            pluginURL: string;
            /** @description Generated when absent. */
            pluginId?: string | null;
            /** @description Id of the project; absent: of the caller’s application. */
            project?: string | null;
            tags?: {
                name: string;
            }[] | null;
        };
        CreateLegacyPluginTagBody: {
            name: string;
        };
        CreateLookupTermBody: {
            /** @description Without control characters. */
            value: string;
        };
        CreateNodeBody: {
            /** @description Generated when absent. */
            nodeID?: string | null;
            ledgerID: string;
            name?: string | null;
            client?: string | null;
            options: {
                /** @description Absolute URL. */
                uri: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
            /** @description Makes it the default node of its ledger. */
            default?: boolean | null;
        };
        CreateOldContractBody: {
            /** @description Generated when absent. */
            contractInstanceID?: string | null;
            ledgerID: string;
            name?: string | null;
            /** @description The version that it was made from, by its id or by template and tag. */
            contractSpecification?: number | {
                /** Format: int64 */
                id?: number | null;
                tag?: string | null;
                contractTemplate?: {
                    contractTemplateID: string;
                } | null;
            } | null;
            /** @description `address`: where it is on its ledger. Without a version, `abi`: its interface. */
            properties?: components["schemas"]["GivenContractProperty"][] | null;
            types?: {
                name: string;
            }[] | null;
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOldContractSpecificationBody: {
            tag: string;
            /** @description Compiled output: JSON text, or the object itself, with abi and bytecode as solc, Hardhat or Foundry write them. Sources are taken here too. Where code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with it in package, and the interface, such as contract metadata, in interface; other code: a text, or in code. */
            compilationSpecification?: string | null;
            /** @description Sources that are compiled here: Solidity, or the compiler’s Standard JSON. Imports come from the sources and from @openzeppelin/contracts. */
            preCompilationSpecification?: string | null;
            /** @description Which contract of the sources: `Name` or `File.sol:Name`; absent: the only one. */
            contract?: string | null;
            compilationLanguage?: string | null;
            /** @description With sources: versions of the compiler that will do, such as `^0.8.26`. */
            targetCompilationVersion?: string | null;
            description?: string | null;
            ledgerTechnology?: {
                /**
                 * @description Of `GET /v1/technologies`.
                 * @example ethereum
                 */
                ledgerTechnologyID: string;
            } | null;
        };
        CreateOldContractTemplateBody: {
            /** @description Generated when absent. */
            contractTemplateID?: string | null;
            name: string;
            description?: string | null;
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOldTokenBody: {
            /** @description Generated when absent. */
            tokenID?: string | null;
            name: string;
            ticker: string;
            contractInstance: {
                contractInstanceID: string;
            };
            /** @description Absent: the project of the caller’s application. */
            projectId?: string | null;
        };
        CreateOrganizationBody: {
            /** @description Without control characters. */
            name: string;
            organizationID?: string;
        };
        CreatePluginBody: {
            name: string;
            projectId: string;
            url: string;
            /** @description Default: what the module says of itself. */
            implementationVersion?: string | null;
            /** @description Its technology, to be chosen by ledgers. */
            tags?: string[] | null;
            /** @description `sha512-` and the base64 of the SHA-512 of the module’s file, as npm writes it. */
            integrity?: string | null;
            credentials?: components["schemas"]["PluginCredentials"];
            active?: unknown;
            id?: unknown;
            pluginType?: unknown;
            health?: unknown;
            warnings?: unknown;
            hasCredentials?: unknown;
        };
        CreateProjectBody: {
            /** @description Without control characters. */
            name: string;
            projectID?: string;
            organization: string | components["schemas"]["OrganizationReference"];
        };
        CreateResourceBody: {
            id?: string;
            /** @enum {string} */
            type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account";
            properties?: {
                [key: string]: string;
            };
            parentId?: string;
        };
        CreateResourceIdentityRoleBody: {
            identity: string | components["schemas"]["IdentityReference"];
            resource: string | components["schemas"]["ResourceReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        CreateServiceAccountBody: {
            /** @description Without control characters. */
            name: string;
            accountId?: string;
            email?: string;
            project?: string | components["schemas"]["ProjectReference"];
        };
        CreateWalletBody: {
            ledgerId: string;
            walletId: string;
            /** @description walletPassword, and what the ledger’s plugin takes. */
            pluginParameters: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
        };
        CreateWebhookBody: {
            /**
             * Format: uri
             * @description https; http only to an address that is not public and that the deployer opened.
             */
            url: string;
            description?: string | null;
            types?: components["schemas"]["EventType"][] | null;
            /** @description Ids of ledgers. */
            ledgers?: string[] | null;
            /** @description Ids of sending wallets: events of contracts have none. */
            wallets?: string[] | null;
            /**
             * @default standard
             * @enum {string}
             */
            format?: "standard" | "cloudevents";
        };
        CredentialValidation: {
            email: string;
            /**
             * Format: int64
             * @description For privateKey.
             */
            keyID?: number | null;
            secret: string;
            /** @description For privateKey: base64. */
            signature?: string | null;
        };
        /** @description The native currency; null: there is none, or it is not known on this server. */
        CurrencyUnit: {
            symbol: string;
            /** Format: int64 */
            decimals: number;
        } | null;
        DeploymentBody: {
            /** @description Of the constructor, in its order. */
            args?: string[] | null;
            /** @description Becomes the contractInstanceID of the deployed contract; absent: the action’s id. */
            id?: string | null;
            ledgerId: string;
            /** @description Of the deployed contract; absent: its id. */
            name?: string | null;
            /** @description Version of the template. */
            tag: string;
            templateId: string;
            walletId: string;
            walletPassword: string;
        };
        EmulateBody: {
            glo: components["schemas"]["Glo"];
            walletId?: string;
            ledgerId?: string;
            /** @description Asks the ledger as the wallet, with a signature, where it makes a difference who asks; figures.identity says who it was. */
            walletPassword?: string;
        };
        Emulated: {
            /** @description Decoded result; quantities are decimal text. */
            result?: unknown;
            /** @description Estimated fee in the ledger’s smallest unit. */
            fee: string | null;
            /** @description More of what the ledger said. */
            figures: {
                [key: string]: unknown;
            };
            /** @description What meta changed in options. */
            overrides: unknown[];
            /** @description What may make the result differ from that of the same operation sent. */
            warnings: string[];
        };
        /**
         * @description sent: signed after it had to wait, which counts as sent; an action that is signed as it is accepted has none. continued: it needs another transaction. retracted: the ledger does not show its end any more; reinstated: it does again. contract.event: a contract told something to which the project is subscribed.
         * @enum {string}
         */
        EventType: "action.accepted" | "action.sent" | "action.continued" | "action.cancel_requested" | "action.hurry_requested" | "action.succeeded" | "action.failed" | "action.cancelled" | "action.retracted" | "action.reinstated" | "contract.event";
        ExplainedPart: {
            /** @enum {string} */
            about: "operation" | "history" | "state" | "safety";
            text: string;
        };
        Explorer: {
            explorerID: string;
            /** Format: int64 */
            id: number;
            implementations: {
                /** Format: int64 */
                id: number;
                properties: components["schemas"]["RecordProperty"][];
                type: components["schemas"]["IdAndName"];
            }[];
            ledgerID: string;
            name: string;
            nodeID: string | null;
            resourceId: string;
            /** @description `system`: of the deployer, shown in every project. */
            projectId: string;
        };
        ExplorerPage: {
            /** @enum {string} */
            contentType: "ExplorerPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Explorer"][];
        };
        ExplorerUpdate: {
            name?: string;
            nodeID?: string | null;
            /** @description Replaces all. */
            implementations?: components["schemas"]["GivenImplementation"][];
            id?: unknown;
            explorerID?: unknown;
            ledgerID?: unknown;
            resourceId?: unknown;
            projectId?: unknown;
        };
        ExportWalletBody: {
            walletPassword: string;
        };
        GatewayActionBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            /** @description Kept with the action, and shown with it. */
            context?: string | null;
            glo: components["schemas"]["Glo"];
            /** @description A live session of the caller (value of its cookie); empty or absent: none. */
            serviceSession?: string | null;
            walletPassword: string;
        };
        GatewayEmulated: {
            /** @description The decoded value, JSON text. */
            result: string;
        };
        GatewayEmulationBody: {
            /** @description In the order of the method. */
            args?: string[] | null;
            /** @description Id of a registered contract. */
            instanceId: string;
            methodName: string;
        };
        GatewayPluginActionBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            /** @description Of type contract_call. */
            glo: components["schemas"]["Glo"];
            /** @description Technology of the ledger, as locators name it. */
            ledger: string;
            ledgerId: string;
            pluginId: string;
            /** @description walletPassword is needed. */
            pluginSecrets: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
            /** @description The same as walletId. */
            wallet: string;
        };
        GatewayTransaction: {
            locator: string;
            smartContractAddress: string | null;
            /** @enum {string} */
            status: "PENDING" | "SUCCEEDED" | "FAILED";
            /**
             * Format: date-time
             * @description Of its block. Null: the ledger does not say, or not yet.
             */
            blockTime: string | null;
            /** @description Paid, in the smallest unit of the ledger’s currency. Null: the ledger does not say, or not yet. */
            fee: string | null;
            /** @description Why it failed, in words. */
            reason: string | null;
            /** @description With withReceipt: as the ledger gives it; null before there is one. */
            receipt?: unknown;
        };
        GeneratedKey: {
            identifier: string;
            /** Format: int64 */
            keyID: number;
            /** @description PKCS #8, PEM. */
            privateKey: string;
            accountId: string;
            /** Format: int64 */
            keyId: number;
            tokenUri: string;
        };
        GivenContractProperty: {
            type: {
                name: string;
            };
            value?: unknown;
        };
        GivenImplementation: {
            type: {
                name: string;
            };
            properties?: components["schemas"]["GivenProperty"][] | null;
        };
        GivenProperty: {
            type: {
                name: string;
            };
            /** @description A secret that was answered as null stays when it is put back as null. */
            value?: unknown;
        };
        /**
         * Generic ledger operation (GLO)
         * @description Canonical form, version 0.1.0; or one of two older forms of a contract call.
         */
        Glo: components["schemas"]["GloTransfer"] | components["schemas"]["GloContractCall"] | components["schemas"]["GloContractDeploy"] | components["schemas"]["GloGatewayCall"] | components["schemas"]["GloCloudWalletCall"];
        /** @description The cloud wallet’s form; deprecated. */
        GloCloudWalletCall: {
            /** @enum {string} */
            type: "contract_call";
            options: components["schemas"]["GloOlderCall"];
            meta?: components["schemas"]["GloMeta"];
        };
        GloContractCall: {
            version: string;
            /** @enum {string} */
            type: "contract_call";
            options: {
                contract_instance: components["schemas"]["GloLocator"];
                /** @description Without control characters and lone surrogates. */
                method_name: string;
                args?: string[];
            };
            meta?: components["schemas"]["GloMeta"];
        };
        GloContractDeploy: {
            version: string;
            /** @enum {string} */
            type: "contract_deploy";
            options: {
                contract_source: components["schemas"]["GloLocator"];
                args?: string[];
            };
            meta?: components["schemas"]["GloMeta"];
        };
        GloEthereumContent: {
            from?: string;
            to?: string;
            data?: string;
            chainId?: string | number;
            nonce?: string | number;
            value?: string | number;
            gasPrice?: string | number;
            gasLimit?: string | number;
            maxFeePerGas?: string | number;
            maxPriorityFeePerGas?: string | number;
            accessList?: {
                address: string;
                storageKeys: string[];
            }[];
        };
        GloFabricContent: {
            /** @description Without control characters and lone surrogates. */
            channel?: string;
            /** @description Without control characters and lone surrogates. */
            chaincode?: string;
            /** @description Without control characters and lone surrogates. */
            contract?: string;
            transient?: {
                [key: string]: string;
            };
            endorsing_organizations?: string[];
            /** @description Without control characters and lone surrogates. */
            name?: string;
            /** @description Without control characters and lone surrogates. */
            version?: string;
            /** @description Without lone surrogates. */
            endorsement_policy?: string;
        };
        /** @description The older gateway’s form; deprecated. */
        GloGatewayCall: {
            /** @enum {string} */
            type: "contract_call";
            params: components["schemas"]["GloOlderCall"];
            meta?: components["schemas"]["GloMeta"];
        };
        GloLedgerLookup: {
            /** @enum {string} */
            type: "ledger";
            value: string;
        };
        GloLocator: {
            lookup_service: components["schemas"]["GloServiceLookup"] | components["schemas"]["GloLedgerLookup"];
            /** @description Without control characters and lone surrogates. */
            resource: string;
        };
        GloMeta: {
            /** @description By the name of a technology. What the content of one is that is not listed here says the plugin of its ledgers. */
            ledger?: {
                ethereum?: {
                    /** @description Without control characters and lone surrogates. */
                    version: string;
                    native_transaction_content: components["schemas"]["GloEthereumContent"];
                };
                "hyperledger-fabric"?: {
                    version: string;
                    native_transaction_content: components["schemas"]["GloFabricContent"];
                };
            } & {
                [key: string]: {
                    /** @description Without control characters and lone surrogates. */
                    version: string;
                    native_transaction_content: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        GloOlderCall: {
            contractInstance: string | components["schemas"]["GloLocator"];
            /** @description Without control characters and lone surrogates. */
            methodName: string;
            args?: string[];
        };
        GloServiceLookup: {
            /** @enum {string} */
            type: "service";
            /** @enum {string} */
            value: "service";
        };
        GloTransfer: {
            version: string;
            /** @enum {string} */
            type: "transfer";
            options: {
                recipient: components["schemas"]["GloLocator"];
                amount: string | number;
            };
            meta?: components["schemas"]["GloMeta"];
        };
        HurryActionBody: {
            /**
             * Format: password
             * @description Needed only where nothing is kept that could sign another transaction in the place of the action’s; the answer then says so. It must be right wherever it is given.
             */
            walletPassword?: string;
            /**
             * @description The most for a unit of the ledger’s fee (Ethereum: wei for a unit of gas), decimal or 0x text. The ledger’s own caps hold beside it.
             * @example 50000000000
             */
            maxFee?: string;
        };
        IdAndName: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        Identity: {
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateUpdated: number;
            /** Format: int64 */
            id: number;
            identifier: string;
            identityProfile: {
                displayName: string | null;
                imageURL: string | null;
            };
            serviceId: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            /** @enum {string} */
            type: "USER" | "SERVICE" | "SAML";
        };
        IdentityConfig: {
            items: {
                /** @description Without control characters. */
                key: string;
                value: string;
            }[];
        };
        IdentityName: {
            serviceId: string;
            identifier: string;
        } | null;
        IdentityPage: {
            /** @enum {string} */
            contentType: "IdentityPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Identity"][];
        };
        IdentityProfile: {
            displayName: string | null;
        };
        IdentityReference: {
            serviceId?: string | null;
            identifier?: string | null;
        };
        ImageBody: {
            data: string;
            /** @enum {string} */
            format: "png" | "jpeg" | "webp" | "svg";
        };
        InitUser: {
            acceptTnC: boolean;
            additional: {
                name: string;
                password: string;
            };
            /** @description From a mail, and nowhere else: of a new identity, or of an invitation, which is accepted by it. Works once. */
            initToken: string;
        };
        InitializedUser: {
            email: string;
        };
        Invitation: {
            createdByIdentity: {
                serviceId: string;
            };
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateExpires: number;
            emailSubject: string | null;
            /** Format: int64 */
            id: number;
            invitationResourceRoles: {
                /** Format: int64 */
                id: number;
                resource: components["schemas"]["Resource"];
                role: components["schemas"]["Role"];
            }[];
            /** @enum {string} */
            invitationState: "PENDING" | "CANCELED" | "ACCEPTED" | "REJECTED" | "EXPIRED";
            /** @description Names the invitation; proves nothing. */
            invitationToken: string;
            message: string | null;
            organizationId: string;
            userEmail: string;
        };
        InviteUserBody: {
            userEmail: string;
            /** @description Without control characters. */
            emailSubject?: string | null;
            /** @description Without control characters but line ends and tabs. */
            message?: string | null;
            organizationId?: string | null;
            invitationResourceRoles?: {
                resource: string | components["schemas"]["ResourceReference"];
                role: string | components["schemas"]["RoleReference"];
            }[];
        };
        IssuedApiToken: {
            apiToken: string;
            handle: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        IssuedAppToken: {
            appId: string;
            appToken: string;
        };
        LateContractSubscription: {
            id: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            contractId: string;
            ledgerId: string;
            /** @enum {string} */
            status: "ACTIVE" | "PAUSED" | "STOPPED";
            /** @description Why it was stopped. */
            reason: string | null;
            /**
             * Format: int64
             * @description Of the newest block that was looked through.
             */
            blockHeight: number;
            /**
             * Format: date-time
             * @description Since when it has not reached the newest block that is deep enough.
             */
            lateSince: string | null;
            lastError: string | null;
        };
        LateEvents: {
            webhooks: components["schemas"]["LateWebhook"][];
            contractSubscriptions: components["schemas"]["LateContractSubscription"][];
        };
        LateWebhook: {
            id: string;
            /** @description Null: the project is deleted. */
            projectId: string | null;
            /** @description Of its URL. */
            host: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** @description Why the service disabled it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: it takes some events, or was not sent any since it was disabled.
             */
            failingSince: string | null;
            /**
             * Format: int64
             * @description Deliveries that wait.
             */
            pending: number;
            /** Format: date-time */
            oldestPendingAt: string | null;
            /** @description Of the delivery that failed last. */
            lastError: string | null;
        };
        Ledger: {
            active: boolean;
            /** Format: int64 */
            id: number;
            ledgerID: string;
            ledgerTechnology: {
                /** Format: int64 */
                id: number;
                ledgerTechnologyID: string;
                name: string;
            };
            name: string;
            properties: components["schemas"]["RecordProperty"][];
            resourceId: string;
            type: {
                name: string;
            };
            /** @description No other ledger has it: those of several projects may have one id. */
            uid: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            featured: boolean;
        };
        LedgerCallBody: {
            ledgerId: string;
            /** @enum {string} */
            method: "transfer" | "contract_call" | "contract_deploy";
            options: components["schemas"]["CallOptions"];
            params?: components["schemas"]["CallParameter"][] | null;
        };
        LedgerHealth: {
            /** @description Without those of which there is nothing to say. */
            ledgers: {
                /** @description Several ledgers may have one id. */
                uid: string;
                ledgerId: string;
                /** @description Why it cannot be followed. */
                reasons: string[];
                /** @description Faults of single nodes while it is served all the same. */
                warnings: string[];
            }[];
        };
        LedgerNode: {
            client: string | null;
            /** Format: int64 */
            id: number;
            name: string;
            nodeID: string;
            properties: components["schemas"]["RecordProperty"][];
            resourceId: string;
            /** @description Scheme, host and port; `/…` stands for the rest, which may hold credentials. */
            uri: string;
            ledgerID: string;
        };
        LedgerPage: {
            /** @enum {string} */
            contentType: "LedgerPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Ledger"][];
        };
        LedgerPlugin: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
        };
        LedgerTechnologyDescription: {
            /** @description As ledgers, locators and meta name it. */
            name: string;
            title: string;
            /** @description Namespace of its chains (CAIP-2). */
            namespace: string;
            unit: components["schemas"]["CurrencyUnit"];
            addresses: {
                account: components["schemas"]["AddressForm"];
                contract?: components["schemas"]["AddressForm"];
            } | null;
            /** @description Of `meta.ledger.<name>`. Null: any object. */
            content: {
                /** @description Of `native_transaction_content`: one, or one for each type of operation. */
                schema: {
                    [key: string]: unknown;
                };
                /** @description Pattern of the versions of meta that are read. Absent: any. */
                version?: string;
                /** @description The one of them to write. */
                currentVersion: string;
                /** @description Members that go before options of the operation. */
                overrides?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Properties of a ledger, beside those that all ledgers have. `writeOnly`: secret; `x-address`: says where secrets go. Null: nothing is said of it. */
            ledgerProperties: {
                [key: string]: unknown;
            } | null;
            /** @description Properties of a node, likewise. Null: nothing is said of it. */
            nodeProperties: {
                [key: string]: unknown;
            } | null;
            /** @description `pluginParameters` of a new wallet, beside `walletPassword` and what imports a key of the type of the plugin. Null: nothing is said of it. */
            walletParameters: {
                [key: string]: unknown;
            } | null;
            /** @description The form of compiled code, and the languages that the server compiles for it. */
            templates: {
                code: {
                    [key: string]: unknown;
                };
                /** @description Code is a package that is looked into. */
                package?: boolean;
                languages?: string[];
            } | null;
            plugins: {
                id: string;
                /** @description The plugin’s own version. */
                version: string;
                /** @description `remote`: the plugin keeps the keys itself. */
                keyType: string;
                capabilities: {
                    [key: string]: unknown;
                };
            }[];
        };
        LedgerTechnologyDescriptions: {
            technologies: components["schemas"]["LedgerTechnologyDescription"][];
            /** @description JSON Schema of the properties that ledgers of every technology have. */
            ledgerProperties: {
                [key: string]: unknown;
            };
        };
        LedgerUpdate: {
            name?: string;
            /** @description Replaces all. */
            properties?: components["schemas"]["GivenProperty"][];
            type?: {
                name: string;
            };
            active?: boolean;
            featured?: boolean;
            id?: unknown;
            ledgerID?: unknown;
            ledgerTechnology?: unknown;
            resourceId?: unknown;
            uid?: unknown;
            projectId?: unknown;
        };
        LegacyPlugin: {
            /** Format: int64 */
            id: number;
            name: string;
            pluginId: string;
            pluginURL: string;
            /** @description `system`: of the deployer, usable in every project. */
            project: string;
            resourceId: string;
            tags: components["schemas"]["LegacyPluginTag"][];
        };
        LegacyPluginTag: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        LegacyPluginUpdate: {
            name: string;
            pluginURL: string;
        };
        Liveness: {
            /** @enum {string} */
            status: "ok";
        };
        Login: {
            /**
             * @description The user’s e-mail address.
             * @example ada@example.com
             */
            username: string;
            password: string;
        };
        LoginForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
            username: string;
            password: string;
        };
        LookupTerm: {
            /** Format: int64 */
            id: number;
            value: string;
        };
        NodePage: {
            /** @enum {string} */
            contentType: "NodePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["LedgerNode"][];
        };
        NodeUpdate: {
            name?: string;
            client?: string | null;
            options?: {
                /** @description Absolute URL. */
                uri: string;
            };
            /** @description As it was answered: it stays as it is. */
            uri?: string;
            /** @description Replaces all. */
            properties?: components["schemas"]["GivenProperty"][];
            default?: boolean;
            id?: unknown;
            nodeID?: unknown;
            ledgerID?: unknown;
            resourceId?: unknown;
        };
        OAuthError: {
            error: string;
            error_description?: string;
        };
        OldContract: {
            /** @description JSON text: status, language and checksum of its version. */
            compilationDetails: string | null;
            compileVersion: string | null;
            contractInstanceID: string;
            contractSpecification: components["schemas"]["OldContractSpecification"] | null;
            /** Format: int64 */
            id: number;
            ledgerID: string;
            name: string;
            properties: {
                /** Format: int64 */
                id: number;
                type: components["schemas"]["RecordPropertyType"];
                /** @description Any JSON value. */
                value?: unknown;
            }[];
            resourceId: string;
            types: components["schemas"]["IdAndName"][];
        };
        /** @description An object with them, or the list itself. */
        OldContractProperties: {
            properties: components["schemas"]["GivenContractProperty"][];
        } | components["schemas"]["GivenContractProperty"][];
        OldContractSpecification: {
            /** @description SHA-256 of code and interface. */
            checksum: string;
            compilationLanguage: string | null;
            /** @description Compiled output, JSON text; null until it is compiled. */
            compilationSpecification: string | null;
            /** @enum {string} */
            compilationStatus: "COMPILED" | "PENDING" | "FAILED";
            contractTemplate: components["schemas"]["OldContractTemplate"];
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            description: string | null;
            hasPreprocessing: boolean;
            /** Format: int64 */
            id: number;
            ledgerTechnology: {
                /** Format: int64 */
                id: number;
                ledgerTechnologyID: string;
            };
            preCompilationSpecification: string | null;
            /** @description The version; a deployment names template:tag. */
            tag: string;
            targetCompilationVersion: string | null;
            /** @description What the compiler said. */
            compilationMessages: components["schemas"]["CompilerMessage"][];
        };
        OldContractTemplate: {
            contractTemplateID: string;
            description: string | null;
            /** Format: int64 */
            id: number;
            name: string;
            resourceId: string;
        };
        OldToken: {
            contractInstance: components["schemas"]["OldContract"];
            /** Format: int64 */
            id: number;
            name: string;
            resourceId: string;
            ticker: string;
            tokenID: string;
        };
        OlderActionCreated: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "PENDING";
        };
        OpenApiDocument: {
            /** @enum {string} */
            openapi: "3.1.0";
        } & {
            [key: string]: unknown;
        };
        Organization: {
            /** Format: int64 */
            id: number;
            name: string;
            organizationID: string;
            resourceId: string;
            resourceUUID: string;
            imageURL: string | null;
        };
        OrganizationPage: {
            /** @enum {string} */
            contentType: "OrganizationPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Organization"][];
        };
        OrganizationReference: {
            organizationID?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        OtherUserForm: {
            /** @description The authorization request, as it was asked. */
            request: string;
            /** @description From the page. */
            csrf: string;
        };
        OtherWallet: {
            walletId: string;
            walletPassword: string;
        };
        OverriddenValue: string | string[] | null;
        Override: {
            field: string;
            from: components["schemas"]["OverriddenValue"];
            to: components["schemas"]["OverriddenValue"];
        };
        PermissionEvaluatorResult: {
            identity: {
                serviceId: string;
            };
            appId: string;
            missingAppPermissions: string[];
            missingResourcePermissions: string[];
            resourceId: string;
            result: boolean;
        };
        PermissionListing: {
            identity: {
                serviceId: string;
            };
            identityPermissions: string[];
            appPermissions: string[];
            resourceID: string;
        };
        /** @description Of a remote plugin: what shows it who calls. Kept sealed, never answered, and given anew when `url` changes. Null: none. */
        PluginCredentials: {
            bearerToken?: string;
            /** @description PEM, with its chain: mutual TLS. */
            clientCertificate?: string;
            /** @description PEM, of the certificate. */
            clientKey?: string;
            /** @description PEM, in place of public ones: who signed the plugin’s own certificate. */
            certificateAuthority?: string;
        } | null;
        /** @description How it is doing on the server that answers. */
        PluginHealth: {
            /** @description It was loaded and answers. */
            loaded: boolean;
            /** @description It can serve ledgers of this technology; null before it was loaded. */
            technology: string | null;
            /** @description The plugin’s own version. */
            version: string | null;
            /** @description Ids of the only ledgers that it serves; null: all of its technology, or it was not loaded. Whether it can serve one says `GET /v1/plugins/selection`. */
            ledgers: string[] | null;
            lastError: {
                /** Format: date-time */
                at: string;
                detail: string;
            } | null;
            /** @description Milliseconds of a call, a moving average; null before the first. */
            latency: number | null;
            /**
             * Format: int64
             * @description Times that its process was started again.
             */
            restarts: number;
            /**
             * @description How its process is shut off: `isolated` by namespaces of the kernel and Node’s permission model, `restricted` by the latter alone; null: it has no process of its own on the server.
             * @enum {string|null}
             */
            isolation: "isolated" | "restricted" | null;
        };
        PluginPage: {
            /** @enum {string} */
            contentType: "PluginPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["LegacyPlugin"][];
        };
        PluginPagedResult: {
            /** @enum {string} */
            contentType: "PluginPagedResult";
            hasMore: boolean;
            /**
             * Format: int64
             * @description Zero-based; on the last page the page itself.
             */
            nextPage: number;
            /**
             * Format: int64
             * @description Zero-based; on the first page the page itself.
             */
            previousPage: number;
            pageContent: components["schemas"]["LedgerPlugin"][];
        };
        PluginSelection: {
            ledgerId: string;
            /** @description What the plugin must have, the technology first. */
            tags: string[];
            /** @description Null: none fits. */
            chosen: {
                id: string;
                canServe: boolean;
                /** @description Why it cannot serve the ledger on this server: it cannot be loaded, or does not open this ledger, or no node says which chain it is. */
                fault: string | null;
            } | null;
            /** @description All that the project may use, those that fit first. */
            candidates: {
                id: string;
                name: string;
                builtIn: boolean;
                isChosen: boolean;
                /** @description Why it is not chosen. */
                reason: string | null;
            }[];
        };
        PluginTags: {
            tags: string[];
        };
        PluginUpdate: {
            active: boolean;
            name: string;
            url: string;
            implementationVersion?: string | null;
            integrity?: string | null;
            credentials?: components["schemas"]["PluginCredentials"];
            projectId?: unknown;
            tags?: unknown;
            id?: unknown;
            pluginType?: unknown;
            health?: unknown;
            warnings?: unknown;
            hasCredentials?: unknown;
        };
        PluginWithHealth: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
            health: components["schemas"]["PluginHealth"];
        };
        Problem: {
            /** @example urn:ledger-ops:problem:invalid-request */
            type: string;
            title: string;
            /** Format: int64 */
            status: number;
            detail: string;
            /** @description Each invalid value: a JSON Pointer into the body, or the parameter’s name. */
            errors?: {
                pointer: string;
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        Project: {
            /** Format: int64 */
            id: number;
            name: string;
            organization: components["schemas"]["Organization"];
            projectID: string;
            resourceId: string;
            resourceUUID: string;
        };
        ProjectPage: {
            /** @enum {string} */
            contentType: "ProjectPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Project"][];
        };
        ProjectReference: {
            projectID?: string | null;
            resourceUUID?: string | null;
            resourceId?: string | null;
        };
        PublicKeySet: {
            keys: {
                e: string;
                kid: string;
                /** @enum {string} */
                kty: "RSA";
                n: string;
                /** @enum {string} */
                use: "sig";
                /** @enum {string} */
                alg: "RS256";
            }[];
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not-ready";
            reasons: string[];
            /** @description How many ledgers have faults of single nodes and are served all the same, and that modules are not shut off as they could be. */
            warnings: string[];
        };
        RecordProperty: {
            /** Format: int64 */
            id: number;
            type: components["schemas"]["RecordPropertyType"];
            /** @description Of any type; null for a secret, which is never answered. */
            value?: unknown;
        };
        RecordPropertyType: {
            /** Format: int64 */
            id: number;
            name: string;
            scope?: components["schemas"]["IdAndName"];
        };
        Resource: {
            resourceID: string;
            resourceUUID: string;
            type: {
                /** Format: int64 */
                id: number;
                /** @enum {string} */
                name: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
            };
            properties: {
                /** Format: int64 */
                id: number;
                name: string;
                value: string;
            }[];
            /** @description resourceUUID of the resource above it; null: the system. */
            parentId: string | null;
        };
        ResourceIdentityRole: {
            /** Format: int64 */
            id: number;
            identity: components["schemas"]["IdentityName"];
            resource: components["schemas"]["Resource"];
            role: components["schemas"]["Role"];
        };
        ResourceIdentityRolePage: {
            /** @enum {string} */
            contentType: "ResourceIdentityRolePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ResourceIdentityRole"][];
        };
        ResourcePage: {
            /** @enum {string} */
            contentType: "ResourcePage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Resource"][];
        };
        ResourceReference: {
            resourceUUID?: string | null;
            resourceID?: string | null;
        };
        RespondToInvitationBody: {
            /** Format: int64 */
            id?: number;
            invitationToken?: string | null;
            /** @enum {string} */
            invitationState?: "ACCEPTED" | "REJECTED" | "CANCELED";
        };
        RevocationRequest: {
            /** @description A refresh token or an access token. */
            token: string;
            /** @description Not needed. */
            token_type_hint?: string;
            /** @description The application id. Needed here or in HTTP Basic. */
            client_id?: string;
            client_secret?: string;
            client_assertion?: string;
            /** @enum {string} */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        Role: {
            description: string;
            /** Format: int64 */
            id: number;
            name: string;
            permissions: {
                action: string;
                /** Format: int64 */
                id: number;
            }[];
            /** @enum {string} */
            roleType: "IDENTITY" | "APP";
        };
        RoleReference: {
            name?: string | null;
        };
        SearchActionsBody: {
            actionIds: string[];
        };
        SearchIntentsBody: {
            intents: string[];
        };
        SendBody: {
            dependencies?: string[] | null;
            /** Format: uuid */
            intent?: string | null;
            tag?: string | null;
            walletId: string;
            glo: components["schemas"]["Glo"];
            walletPassword: string;
            /** @description The other wallets that meta names as signers or payers (`x-wallet` in the schema of GET /v1/technologies), by id or address: each of them, once, and no other. On the ledger of walletId; the caller may send from each. */
            wallets?: components["schemas"]["OtherWallet"][];
            /**
             * Format: date-time
             * @example 2026-11-20T12:30:05Z
             */
            deadline?: string;
            /** @description Of a deployment: by which id and name the contract is registered, in the moment in which the action succeeds. */
            registration?: {
                /** @description Absent: the id of the action. */
                contractId?: string;
                /** @description Absent: its id. */
                name?: string;
            };
        };
        SendTransactionBody: {
            /** Format: uuid */
            actionId: string;
            glo: components["schemas"]["Glo"];
            pluginParams: {
                walletPassword: string;
            } & {
                [key: string]: string;
            };
            wallet: string;
        };
        ServiceAccount: {
            accountId: string;
            /** @description serviceId */
            createdBy: string;
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            email: string;
            /** Format: int64 */
            id: number;
            name: string;
            /** @description projectID */
            project: string;
            resourceId: string;
            /** @description serviceId */
            updatedBy: string;
            /** @description Its identity; also the resourceUUID. */
            serviceId: string;
        };
        ServiceAccountKey: {
            /** Format: int64 */
            dateCreated: number;
            /** Format: int64 */
            dateUpdated: number;
            generatedBy: string;
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            keyID: number;
            privateKeyFormat: string;
            publicKey: string;
            publicKeyFormat: string;
            serviceAccount: string;
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
        };
        ServiceAccountPage: {
            /** @enum {string} */
            contentType: "ServiceAccountPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["ServiceAccount"][];
        };
        SetAppRoleBody: {
            app: string | components["schemas"]["AppReference"];
            role: string | components["schemas"]["RoleReference"];
        };
        SmartContractPage: {
            /** @enum {string} */
            contentType: "SmartContractPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["OldContract"][];
        };
        /** @description Null: it is done elsewhere. */
        SuggestedRequest: {
            method: string;
            path: string;
        } | null;
        SuggestedStep: {
            action: string;
            request: components["schemas"]["SuggestedRequest"];
            /** @description That the request needs; null: none. */
            permission: string | null;
        };
        Suspension: {
            suspensionId: string;
            ledgerId?: string;
            walletId?: string;
            projectId?: string;
            reason: string;
            /** @description serviceId of who suspended it. Of a ledger for those alone who may resume it; else null. */
            createdBy: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        SuspensionBody: {
            ledgerId?: string;
            walletId?: string;
            projectId?: string;
            /** @description Why; whoever may see its actions reads it. */
            reason: string;
        };
        SuspensionPage: {
            suspensions: components["schemas"]["Suspension"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        TimelineRecord: {
            action: string;
            /** Format: date-time */
            datePerformed: string;
            /** Format: date-time */
            dateRegistered: string;
            /** @description serviceId; empty: the service itself. */
            identity: string;
            appID: string;
            projectID: string;
            pubsubMessageID: string;
            resourceID: string;
            resourceType: string;
            service: string;
            /** @description What else it was about; may be empty. */
            targetObject: string;
        };
        TokenBody: {
            /** @enum {string} */
            grant_type: "client_credentials" | "authorization_code" | "refresh_token";
            /** @description The application id. Needed here or in HTTP Basic. */
            client_id?: string;
            /** @description API token of the service account; with the grants of users’ applications, where it can be left out, the application’s token. HTTP Basic takes its place. */
            client_secret?: string;
            /** @description Account id. With HTTP Basic the secret says whose it is. */
            service_account?: string;
            client_assertion?: string;
            /** @enum {string} */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            code?: string;
            code_verifier?: string;
            redirect_uri?: string;
            refresh_token?: string;
        };
        TokenResponse: {
            /** @description A JWT (RFC 9068). */
            access_token: string;
            /**
             * Format: int64
             * @description Seconds.
             */
            expires_in: number;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description With the grants of users’ applications. Good for one use within 7 days. */
            refresh_token?: string;
        };
        TransactionSent: {
            problem: components["schemas"]["Problem"] | null;
            /** @enum {string} */
            status: "PROCESSING" | "SUCCEEDED" | "FAILED";
            txId: string;
        };
        TransactionStatus: {
            details: {
                contractAddress: string | null;
                locator: string | null;
            };
            problem: components["schemas"]["Problem"] | null;
            /** @enum {string} */
            status: "PROCESSING" | "SUCCEEDED" | "FAILED";
            /** @description As it was asked for. */
            txId: string;
        };
        UpdateAppBody: {
            /** @description Without control characters. */
            name?: string;
            /** @description An http or https URL, without spaces and control characters. */
            appURL?: string | null;
            redirectUris?: string[];
        };
        UpdateIdentityProfileBody: {
            /** @description Without control characters. */
            displayName: string;
        };
        Wallet: {
            walletId: string;
            walletAddress: string;
            ledgerId: string;
            /** @description secp256k1 or p256. */
            keyType: string;
            /** Format: date-time */
            createdAt: string;
        };
        WalletCreated: {
            walletAddress: string;
        };
        WalletExport: {
            /** @enum {string} */
            format: "keystore-v3" | "pem" | "ed25519-pair";
            document: string;
            /** @description The same pair in base58 (ed25519). */
            base58?: string;
            /** @description The certificate of a PEM key. */
            certificate?: string;
        };
        WalletPage: {
            /** @enum {string} */
            contentType: "WalletPage";
            /**
             * Format: int64
             * @description Items on this page.
             */
            pageElements: number;
            /**
             * Format: int64
             * @description Zero-based.
             */
            pageNumber: number;
            /** Format: int64 */
            totalElements: number;
            /** Format: int64 */
            totalPages: number;
            pageContent: components["schemas"]["Wallet"][];
        };
        WalletPasswordBody: {
            walletPassword: string;
            newPassword: string;
        };
        WalletWithBalance: {
            walletId: string;
            walletAddress: string;
            ledgerId: string;
            /** @description secp256k1 or p256. */
            keyType: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Native currency in the smallest unit, decimal text; null where the ledger has none. */
            balance: string | null;
            /** @description Other names of the account on its ledger, such as the x509:: id of a Fabric identity. */
            aliases: string[];
            /** @description The certificate that the account is; null where it is none. */
            certificate: {
                pem: string;
                /** Format: date-time */
                expiresAt: string;
            } | null;
        };
        Webhook: {
            id: string;
            url: string;
            description: string | null;
            /** @description Null: all. */
            types: components["schemas"]["EventType"][] | null;
            /** @description Null: all. */
            ledgers: string[] | null;
            /** @description Null: all. */
            wallets: string[] | null;
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** @description Why the service disabled it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: the last delivery succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            earlierSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookChange: {
            /**
             * Format: uri
             * @description https; http only to an address that is not public and that the deployer opened.
             */
            url?: string;
            description?: string | null;
            types?: components["schemas"]["EventType"][] | null;
            /** @description Ids of ledgers. */
            ledgers?: string[] | null;
            /** @description Ids of sending wallets: events of contracts have none. */
            wallets?: string[] | null;
            /** @enum {string} */
            format?: "standard" | "cloudevents";
            /** @enum {string} */
            status?: "ENABLED" | "DISABLED";
        };
        WebhookDelivery: {
            eventId: string;
            type: string;
            /** @description Null: an event of a contract. */
            actionId: string | null;
            /**
             * @description DEAD: given up after three days, or as the webhook was disabled.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "DEAD";
            /** Format: int64 */
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it is tried next.
             */
            nextAt: string | null;
            /** Format: date-time */
            lastAt: string | null;
            /**
             * Format: int64
             * @description HTTP status; null: there was no answer.
             */
            lastStatus: number | null;
            lastError: string | null;
        };
        WebhookDeliveryPage: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null: there is none. */
            next: string | null;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookReplay: {
            eventId?: string;
            /**
             * Format: date-time
             * @description Of the last seven days.
             * @example 2026-11-20T12:30:05Z
             */
            from?: string;
        };
        WebhookTest: {
            delivered: boolean;
            /**
             * Format: int64
             * @description Null: there was no answer.
             */
            status: number | null;
            error: string | null;
        };
        /** @description Asked for by `POST /v1/webhooks/{webhookId}/test`; nothing has happened. No stream has it. */
        WebhookTestCloudEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /**
             * Format: uri
             * @description The public address of this service.
             */
            source: string;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            /** @enum {string} */
            type: "webhook.test";
            data: Record<string, never>;
        };
        /** @description Asked for by `POST /v1/webhooks/{webhookId}/test`; nothing has happened. No stream has it. */
        WebhookTestEvent: {
            /** @description The same however often the event is told: to leave out doubles. */
            id: string;
            /** @enum {string} */
            type: "webhook.test";
            /** Format: date-time */
            timestamp: string;
            data: Record<string, never>;
        };
        WebhookWithSecret: {
            id: string;
            url: string;
            description: string | null;
            /** @description Null: all. */
            types: components["schemas"]["EventType"][] | null;
            /** @description Null: all. */
            ledgers: string[] | null;
            /** @description Null: all. */
            wallets: string[] | null;
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /** @enum {string} */
            status: "ENABLED" | "DISABLED";
            /** @description Why the service disabled it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: the last delivery succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            earlierSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description `whsec_…`, of Standard Webhooks; shown this once. */
            secret: string;
        };
        WrittenPlugin: {
            active: boolean;
            id: string;
            /** @description Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen. */
            implementationVersion: string;
            name: string;
            pluginType: string;
            /** @description `system`: of the deployer, usable in every project. */
            projectId: string;
            /** @description A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags. */
            tags: string[];
            /** @description `npm:<package>[@range]`, `file:<path>` or the address of a remote plugin. */
            url: string;
            /** @description `sha512-…` that the file of its module must have; null: not pinned. */
            integrity: string | null;
            /** @description A remote plugin is shown who calls: see `credentials` of its registration. */
            hasCredentials: boolean;
            /** @description What is likely not meant, or can be known only later: a remote plugin that does not answer, a technology that no ledger has. */
            warnings: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Finds the request in the service’s log; taken over from the request when it is sane. */
        "X-Request-Id": string;
        /** @description Since when the operation is deprecated (RFC 9745). */
        Deprecation: string;
        /** @description Where the deprecation is described, and what stands in the place of the operation. */
        Link: string;
        /** @description Seconds after which to try again. */
        "Retry-After": string;
        /** @description What authenticates here (RFC 9110, section 11.6.1), where a scheme of HTTP does. */
        "WWW-Authenticate": string;
        /** @description `true`: the answer that the same key had first. */
        "Idempotency-Replayed": string;
        /** @description Of these bytes; send it back as If-None-Match. */
        ETag: string;
        /** @description What of the request the answer depends on. */
        Vary: string;
        /** @description The session SERVICESESSIONID, or its end. */
        "Set-Cookie": string;
        /** @description Where what was created is, or where the browser goes next. */
        Location: string;
        /** @description Under which name to keep it. */
        "Content-Disposition": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    send: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "alice",
                 *       "walletPassword": "correct horse battery staple",
                 *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                 *       "tag": "first transfer",
                 *       "dependencies": [],
                 *       "glo": {
                 *         "version": "0.1.0",
                 *         "type": "transfer",
                 *         "options": {
                 *           "recipient": {
                 *             "lookup_service": {
                 *               "type": "service",
                 *               "value": "service"
                 *             },
                 *             "resource": "bob"
                 *           },
                 *           "amount": "1000000000000000"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SendBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "status": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contractCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "alice",
                 *       "walletPassword": "correct horse battery staple",
                 *       "intent": null,
                 *       "dependencies": [],
                 *       "glo": {
                 *         "version": "0.1.0",
                 *         "type": "contract_call",
                 *         "options": {
                 *           "contract_instance": {
                 *             "lookup_service": {
                 *               "type": "ledger",
                 *               "value": "ethereum"
                 *             },
                 *             "resource": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                 *           },
                 *           "method_name": "transfer(address,uint256)",
                 *           "args": [
                 *             "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *             "1"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SendBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "status": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contractCallAlternative: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contractId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                 *       "method": "transfer",
                 *       "params": [
                 *         {
                 *           "value": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
                 *         },
                 *         {
                 *           "value": 1
                 *         }
                 *       ],
                 *       "options": {
                 *         "service": {
                 *           "walletId": "alice",
                 *           "walletPassword": "correct horse battery staple",
                 *           "dependencies": [],
                 *           "intent": null
                 *         },
                 *         "plugin": ""
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ContractCallBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "status": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ledgerCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ledgerId": "dev-ethereum",
                 *       "method": "contract_deploy",
                 *       "params": [
                 *         {
                 *           "name": "contract_source",
                 *           "value": {
                 *             "lookup_service": {
                 *               "type": "service",
                 *               "value": "service"
                 *             },
                 *             "resource": "dev-token:1"
                 *           }
                 *         },
                 *         {
                 *           "name": "args",
                 *           "value": [
                 *             "1000000"
                 *           ]
                 *         }
                 *       ],
                 *       "options": {
                 *         "service": {
                 *           "walletId": "alice",
                 *           "walletPassword": "correct horse battery staple",
                 *           "dependencies": [],
                 *           "intent": null
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["LedgerCallBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "status": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    emulate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "alice",
                 *       "glo": {
                 *         "version": "0.1.0",
                 *         "type": "transfer",
                 *         "options": {
                 *           "recipient": {
                 *             "lookup_service": {
                 *               "type": "service",
                 *               "value": "service"
                 *             },
                 *             "resource": "bob"
                 *           },
                 *           "amount": "1000000000000000"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmulateBody"];
            };
        };
        responses: {
            /** @description What would happen. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "fee": "fee",
                     *       "figures": {},
                     *       "overrides": [
                     *         "overrides"
                     *       ],
                     *       "warnings": [
                     *         "warnings"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Emulated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allOrNothing": true,
                 *       "operations": [
                 *         {
                 *           "walletId": "alice",
                 *           "walletPassword": "correct horse battery staple",
                 *           "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                 *           "tag": "first transfer",
                 *           "dependencies": [],
                 *           "glo": {
                 *             "version": "0.1.0",
                 *             "type": "transfer",
                 *             "options": {
                 *               "recipient": {
                 *                 "lookup_service": {
                 *                   "type": "service",
                 *                   "value": "service"
                 *                 },
                 *                 "resource": "bob"
                 *               },
                 *               "amount": "1000000000000000"
                 *             }
                 *           },
                 *           "name": "fund"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchBody"];
            };
        };
        responses: {
            /** @description What became of each; what is accepted survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 1,
                     *       "refused": 0,
                     *       "results": [
                     *         {
                     *           "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *           "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *           "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *           "status": "PENDING",
                     *           "name": "fund"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "contractAddress": null,
                     *       "createdAt": "2026-11-20T12:30:04.120Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [],
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": "dev-ethereum",
                     *       "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "status": "SUCCEEDED",
                     *       "tag": null,
                     *       "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice"
                     *     }
                     */
                    "application/json": components["schemas"]["Action"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actionIds": [
                 *         "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SearchActionsBody"];
            };
        };
        responses: {
            /** @description The actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *         "contractAddress": null,
                     *         "createdAt": "2026-11-20T12:30:04.120Z",
                     *         "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *         "dependencies": [],
                     *         "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *         "ledgerId": "dev-ethereum",
                     *         "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "status": "SUCCEEDED",
                     *         "tag": null,
                     *         "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "updatedAt": "2026-11-20T12:30:05.310Z",
                     *         "walletId": "alice"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchIntent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The intent, a UUID. */
                intent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *         "contractAddress": null,
                     *         "createdAt": "2026-11-20T12:30:04.120Z",
                     *         "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *         "dependencies": [],
                     *         "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *         "ledgerId": "dev-ethereum",
                     *         "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "status": "SUCCEEDED",
                     *         "tag": null,
                     *         "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "updatedAt": "2026-11-20T12:30:05.310Z",
                     *         "walletId": "alice"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchIntents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "intents": [
                 *         "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SearchIntentsBody"];
            };
        };
        responses: {
            /** @description The actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *         "contractAddress": null,
                     *         "createdAt": "2026-11-20T12:30:04.120Z",
                     *         "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *         "dependencies": [],
                     *         "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *         "ledgerId": "dev-ethereum",
                     *         "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "status": "SUCCEEDED",
                     *         "tag": null,
                     *         "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *         "updatedAt": "2026-11-20T12:30:05.310Z",
                     *         "walletId": "alice"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["CancelActionBody"];
            };
        };
        responses: {
            /** @description It has ended: nothing was signed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "contractAddress": null,
                     *       "createdAt": "2026-11-20T12:30:04.120Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [],
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": "dev-ethereum",
                     *       "locator": null,
                     *       "status": "FAILED",
                     *       "tag": null,
                     *       "txId": null,
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice",
                     *       "problem": {
                     *         "type": "urn:ledger-ops:problem:cancelled",
                     *         "title": "The action was cancelled by who may use its wallet",
                     *         "status": 409,
                     *         "detail": "The action was cancelled on request. It was not signed yet: nothing was sent."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Action"];
                };
            };
            /** @description It is signed; its cancellation is kept, and done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "contractAddress": null,
                     *       "createdAt": "2026-11-20T12:30:04.120Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [],
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": null,
                     *       "locator": null,
                     *       "status": "PENDING",
                     *       "tag": null,
                     *       "txId": null,
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice",
                     *       "pending": {
                     *         "stage": "signed",
                     *         "code": "confirmation",
                     *         "detail": "Signed and sent; waits for the ledger to confirm it. Its cancellation was asked for: it or the empty transaction in its place is mined, as the ledger decides."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Action"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    hurryAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "maxFee": "50000000000"
                 *     }
                 */
                "application/json": components["schemas"]["HurryActionBody"];
            };
        };
        responses: {
            /** @description The request is kept, and done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "contractAddress": null,
                     *       "createdAt": "2026-11-20T12:30:04.120Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [],
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": null,
                     *       "locator": null,
                     *       "status": "PENDING",
                     *       "tag": null,
                     *       "txId": null,
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice",
                     *       "pending": {
                     *         "stage": "signed",
                     *         "code": "confirmation",
                     *         "detail": "Signed and sent; waits for the ledger to confirm it. A higher fee was asked for."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Action"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events named `action`; each carries the Action as JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: action
                     *     data: {"actionId":"019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11","status":"SUCCEEDED"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The client has seen the final state. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followActions: {
        parameters: {
            query?: {
                /** @description Actions of this intent. */
                intent?: string;
                /** @description Actions where this wallet sends or receives. */
                wallet?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events named `action`; each carries the Action as JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: action
                     *     data: {"actionId":"019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11","status":"SUCCEEDED"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listActions: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                status?: "PENDING" | "SUCCEEDED" | "FAILED";
                /** @description Which come first. */
                order?: "newest" | "oldest";
                /** @description Where it stands: only what is pending. */
                stage?: "blocked" | "ready" | "signed";
                ledgerId?: string;
                /** @description Id of the sending wallet. */
                wallet?: string;
                /** @description Id of a project, or its resourceUUID; of another than the own one for who sees all of them. An id that several organizations have is answered with 409. */
                project?: string;
                tag?: string;
                intent?: string;
                /** @description serviceId of who sent it. */
                caller?: string;
                type?: "transfer" | "contract_call" | "contract_deploy";
                /** @description Id or address of a contract that is called, or was deployed. */
                contract?: string;
                /** @description Created at or after this time. */
                from?: string;
                /** @description Created at or before this time. */
                to?: string;
                /** @description Why it is pending: a code of pending, as the counts have it. */
                reason?: "dependencies" | "suspended" | "turn" | "funds" | "fee-cap" | "approvals" | "refused" | "earlier-actions" | "nonce-gap" | "ledger-unavailable" | "plugin-unavailable" | "plugin-fault" | "next-transaction" | "confirmation" | "late" | "expiring" | "ledger-remark" | "change-hindered";
                /** @description Only what has been pending for this many seconds or longer. */
                pendingFor?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actions": [
                     *         {
                     *           "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *           "context": "context",
                     *           "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *           "dependencies": [
                     *             "dependencies"
                     *           ],
                     *           "explorerUrl": "https://ledger.example/",
                     *           "details": {},
                     *           "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *           "ledgerId": "dev-ethereum",
                     *           "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "pending": {
                     *             "stage": "blocked",
                     *             "code": "dependencies",
                     *             "detail": "detail"
                     *           },
                     *           "problem": {
                     *             "type": "urn:ledger-ops:problem:invalid-request",
                     *             "title": "title",
                     *             "status": 1,
                     *             "detail": "detail",
                     *             "errors": [
                     *               {
                     *                 "pointer": "pointer",
                     *                 "detail": "detail"
                     *               }
                     *             ]
                     *           },
                     *           "retracted": {
                     *             "at": "2026-11-20T12:30:05.310Z",
                     *             "detail": "detail",
                     *             "by": "by"
                     *           },
                     *           "status": "PENDING",
                     *           "tag": "tag",
                     *           "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z",
                     *           "walletId": "alice",
                     *           "projectId": "payments",
                     *           "type": "transfer",
                     *           "contract": "contract",
                     *           "method": "method",
                     *           "recipient": "recipient",
                     *           "amount": "amount",
                     *           "unit": {
                     *             "symbol": "symbol",
                     *             "decimals": 1
                     *           },
                     *           "fee": "fee",
                     *           "blockHeight": 1,
                     *           "blockTime": "2026-11-20T12:30:05.310Z",
                     *           "endedAt": "2026-11-20T12:30:05.310Z",
                     *           "creator": {
                     *             "serviceId": "serviceId",
                     *             "appId": "shop"
                     *           }
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionOverviewPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countActions: {
        parameters: {
            query?: {
                /** @description Id of a project, or its resourceUUID; of another than the own one for who sees all of them. An id that several organizations have is answered with 409. */
                project?: string;
                ledgerId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": {
                     *         "PENDING": 1,
                     *         "SUCCEEDED": 1,
                     *         "FAILED": 1
                     *       },
                     *       "stage": {
                     *         "blocked": 1,
                     *         "ready": 1,
                     *         "signed": 1
                     *       },
                     *       "pending": {},
                     *       "oldestPendingAt": "2026-11-20T12:30:05.310Z",
                     *       "complete": true
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCounts"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    describeAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "context": "context",
                     *       "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [
                     *         "dependencies"
                     *       ],
                     *       "explorerUrl": "https://ledger.example/",
                     *       "details": {},
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": "dev-ethereum",
                     *       "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "pending": {
                     *         "stage": "blocked",
                     *         "code": "dependencies",
                     *         "detail": "detail"
                     *       },
                     *       "problem": {
                     *         "type": "urn:ledger-ops:problem:invalid-request",
                     *         "title": "title",
                     *         "status": 1,
                     *         "detail": "detail",
                     *         "errors": [
                     *           {
                     *             "pointer": "pointer",
                     *             "detail": "detail"
                     *           }
                     *         ]
                     *       },
                     *       "retracted": {
                     *         "at": "2026-11-20T12:30:05.310Z",
                     *         "detail": "detail",
                     *         "by": "by"
                     *       },
                     *       "status": "PENDING",
                     *       "tag": "tag",
                     *       "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice",
                     *       "projectId": "payments",
                     *       "type": "transfer",
                     *       "contract": "contract",
                     *       "method": "method",
                     *       "recipient": "recipient",
                     *       "amount": "amount",
                     *       "unit": {
                     *         "symbol": "symbol",
                     *         "decimals": 1
                     *       },
                     *       "fee": "fee",
                     *       "blockHeight": 1,
                     *       "blockTime": "2026-11-20T12:30:05.310Z",
                     *       "endedAt": "2026-11-20T12:30:05.310Z",
                     *       "creator": {
                     *         "serviceId": "serviceId",
                     *         "appId": "shop"
                     *       },
                     *       "traceId": "traceId",
                     *       "operation": {},
                     *       "arguments": [
                     *         "arguments"
                     *       ],
                     *       "change": "cancel",
                     *       "overrides": [
                     *         {
                     *           "field": "field",
                     *           "from": "from",
                     *           "to": "to"
                     *         }
                     *       ],
                     *       "dependsOn": [
                     *         {
                     *           "actionId": "actionId",
                     *           "status": "PENDING"
                     *         }
                     *       ],
                     *       "dependents": [
                     *         "dependents"
                     *       ],
                     *       "attempts": [
                     *         {
                     *           "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "kind": "main",
                     *           "sequence": 1,
                     *           "at": "2026-11-20T12:30:05.310Z",
                     *           "signedAtHeight": 1,
                     *           "settledAt": "2026-11-20T12:30:05.310Z",
                     *           "maxCost": "maxCost",
                     *           "fee": "fee",
                     *           "blockHeight": 1,
                     *           "validUntil": 1,
                     *           "replacedBy": "replacedBy",
                     *           "reason": "reason"
                     *         }
                     *       ],
                     *       "waitingSince": "2026-11-20T12:30:05.310Z",
                     *       "deadline": "2026-11-20T12:30:05.310Z",
                     *       "steps": {
                     *         "accepted": "2026-11-20T12:30:05.310Z",
                     *         "signed": "2026-11-20T12:30:05.310Z",
                     *         "sent": "2026-11-20T12:30:05.310Z",
                     *         "ended": "2026-11-20T12:30:05.310Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActionDetails"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sentences. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "summary": "summary",
                     *       "sentences": [
                     *         {
                     *           "about": "operation",
                     *           "text": "text"
                     *         }
                     *       ],
                     *       "next": [
                     *         {
                     *           "action": "action",
                     *           "request": {
                     *             "method": "method",
                     *             "path": "path"
                     *           },
                     *           "permission": "permission"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ActionExplanation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSuspensions: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of suspensions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suspensions": [
                     *         {
                     *           "suspensionId": "suspensionId",
                     *           "ledgerId": "dev-ethereum",
                     *           "walletId": "alice",
                     *           "projectId": "payments",
                     *           "reason": "reason",
                     *           "createdBy": "createdBy",
                     *           "createdAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["SuspensionPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    suspend: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "payer",
                 *       "reason": "Its password may be known to others."
                 *     }
                 */
                "application/json": components["schemas"]["SuspensionBody"];
            };
        };
        responses: {
            /** @description It is suspended. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suspensionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "walletId": "payer",
                     *       "reason": "Its password may be known to others.",
                     *       "createdBy": "alice@example.com",
                     *       "createdAt": "2026-11-20T12:30:05.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Suspension"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSuspension: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the suspension. */
                suspensionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suspension. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suspensionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "walletId": "payer",
                     *       "reason": "Its password may be known to others.",
                     *       "createdBy": "alice@example.com",
                     *       "createdAt": "2026-11-20T12:30:05.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Suspension"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the suspension. */
                suspensionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is suspended no more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchWallet: {
        parameters: {
            query?: {
                /** @description Only actions of this intent. */
                intent?: string;
                status?: "PENDING" | "SUCCEEDED" | "FAILED";
                ledgerId?: string;
                tag?: string;
                /** @description Created at or after this time. */
                from?: string;
                /** @description Created at or before this time. */
                to?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: actionId, contractAddress, createdAt, dateUpdated, intent, ledgerId, locator, status, tag, txId, updatedAt, walletId. */
                sort?: string[];
            };
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of actions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ActionPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *           "context": "context",
                     *           "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *           "dependencies": [
                     *             "dependencies"
                     *           ],
                     *           "explorerUrl": "https://ledger.example/",
                     *           "details": {},
                     *           "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *           "ledgerId": "dev-ethereum",
                     *           "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "pending": {
                     *             "stage": "blocked",
                     *             "code": "dependencies",
                     *             "detail": "detail"
                     *           },
                     *           "problem": {
                     *             "type": "urn:ledger-ops:problem:invalid-request",
                     *             "title": "title",
                     *             "status": 1,
                     *             "detail": "detail",
                     *             "errors": [
                     *               {
                     *                 "pointer": "pointer",
                     *                 "detail": "detail"
                     *               }
                     *             ]
                     *           },
                     *           "retracted": {
                     *             "at": "2026-11-20T12:30:05.310Z",
                     *             "detail": "detail",
                     *             "by": "by"
                     *           },
                     *           "status": "PENDING",
                     *           "tag": "tag",
                     *           "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z",
                     *           "walletId": "alice"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ActionPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacySearchWallet: {
        parameters: {
            query?: {
                /** @description Only actions of this intent. */
                intent?: string;
                status?: "PENDING" | "SUCCEEDED" | "FAILED";
                ledgerId?: string;
                tag?: string;
                /** @description Created at or after this time. */
                from?: string;
                /** @description Created at or before this time. */
                to?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: actionId, contractAddress, createdAt, dateUpdated, intent, ledgerId, locator, status, tag, txId, updatedAt, walletId. */
                sort?: string[];
            };
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of actions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ActionPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *           "context": "context",
                     *           "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *           "dependencies": [
                     *             "dependencies"
                     *           ],
                     *           "explorerUrl": "https://ledger.example/",
                     *           "details": {},
                     *           "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *           "ledgerId": "dev-ethereum",
                     *           "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "pending": {
                     *             "stage": "blocked",
                     *             "code": "dependencies",
                     *             "detail": "detail"
                     *           },
                     *           "problem": {
                     *             "type": "urn:ledger-ops:problem:invalid-request",
                     *             "title": "title",
                     *             "status": 1,
                     *             "detail": "detail",
                     *             "errors": [
                     *               {
                     *                 "pointer": "pointer",
                     *                 "detail": "detail"
                     *               }
                     *             ]
                     *           },
                     *           "retracted": {
                     *             "at": "2026-11-20T12:30:05.310Z",
                     *             "detail": "detail",
                     *             "by": "by"
                     *           },
                     *           "status": "PENDING",
                     *           "tag": "tag",
                     *           "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z",
                     *           "walletId": "alice"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ActionPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyGetAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
                /** @description Id of the action. */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "contractAddress": null,
                     *       "createdAt": "2026-11-20T12:30:04.120Z",
                     *       "dateUpdated": "Fri Nov 20 12:30:05 UTC 2026",
                     *       "dependencies": [],
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "ledgerId": "dev-ethereum",
                     *       "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "status": "SUCCEEDED",
                     *       "tag": null,
                     *       "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "walletId": "alice"
                     *     }
                     */
                    "application/json": components["schemas"]["Action"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                types?: components["schemas"]["EventType"][];
                /** @description Ids of ledgers. */
                ledgers?: string[];
                /** @description Ids of sending wallets: events of contracts have none. */
                wallets?: string[];
                /** @description `cloudevents`: CloudEvents 1.0 in JSON. */
                format?: "standard" | "cloudevents";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events named `event`; each carries an event as JSON (docs/events.md), or a CloudEvent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: action
                     *     data: {"actionId":"019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11","status":"SUCCEEDED"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWallets: {
        parameters: {
            query?: {
                ledgerId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: walletId, walletAddress, ledgerId, keyType, createdAt. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of wallets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "WalletPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "walletId": "alice",
                     *           "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "ledgerId": "dev-ethereum",
                     *           "keyType": "secp256k1",
                     *           "createdAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WalletPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "alice",
                 *       "ledgerId": "dev-ethereum",
                 *       "pluginParameters": {
                 *         "walletPassword": "correct horse battery staple"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateWalletBody"];
            };
        };
        responses: {
            /** @description The wallet. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
                     *     }
                     */
                    "application/json": components["schemas"]["WalletCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "walletId": "alice",
                     *       "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "ledgerId": "dev-ethereum",
                     *       "keyType": "secp256k1",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "balance": "1000000000000000000",
                     *       "aliases": [
                     *         "x509::/CN=alice::/CN=ca.example.com"
                     *       ],
                     *       "certificate": {
                     *         "pem": "-----BEGIN CERTIFICATE-----…",
                     *         "expiresAt": "2026-11-20T12:30:05.310Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WalletWithBalance"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["ExportWalletBody"];
            };
        };
        responses: {
            /** @description A V3 keystore (secp256k1) or an encrypted PEM (p256), which the wallet password opens; of ed25519 the pair of private and public key as a JSON array of 64 numbers, which is not encrypted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "format": "keystore-v3",
                     *       "document": "document",
                     *       "base58": "base58",
                     *       "certificate": "certificate"
                     *     }
                     */
                    "application/json": components["schemas"]["WalletExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeWalletPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the wallet. */
                walletId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletPassword": "correct horse battery staple",
                 *       "newPassword": "another horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["WalletPasswordBody"];
            };
        };
        responses: {
            /** @description Changed; accepted actions are still carried out. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTransactionsStatus: {
        parameters: {
            query: {
                /** @description Transaction or action ids. */
                txId: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statuses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "details": {
                     *           "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *           "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706"
                     *         },
                     *         "problem": {
                     *           "type": "urn:ledger-ops:problem:invalid-request",
                     *           "title": "title",
                     *           "status": 1,
                     *           "detail": "detail",
                     *           "errors": [
                     *             {
                     *               "pointer": "pointer",
                     *               "detail": "detail"
                     *             }
                     *           ]
                     *         },
                     *         "status": "PROCESSING",
                     *         "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TransactionStatus"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                 *       "wallet": "alice",
                 *       "glo": {
                 *         "type": "contract_call",
                 *         "options": {
                 *           "contractInstance": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                 *           "methodName": "transfer(address,uint256)",
                 *           "args": [
                 *             "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *             "1"
                 *           ]
                 *         }
                 *       },
                 *       "pluginParams": {
                 *         "walletPassword": "correct horse battery staple"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SendTransactionBody"];
            };
        };
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "problem": {
                     *         "type": "urn:ledger-ops:problem:invalid-request",
                     *         "title": "title",
                     *         "status": 1,
                     *         "detail": "detail",
                     *         "errors": [
                     *           {
                     *             "pointer": "pointer",
                     *             "detail": "detail"
                     *           }
                     *         ]
                     *       },
                     *       "status": "PROCESSING",
                     *       "txId": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706"
                     *     }
                     */
                    "application/json": components["schemas"]["TransactionSent"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "dev-app",
                 *       "service_account": "dev-account",
                 *       "client_secret": "sak_…"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenBody"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJ…",
                     *       "expires_in": 300,
                     *       "token_type": "Bearer",
                     *       "refresh_token": "refresh_token"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "rft_…",
                 *       "client_id": "web-app"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
            };
        };
        responses: {
            /** @description The token counts no more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authCerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key set. Key ids change on rotation: fetch it anew. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "e": "e",
                     *           "kid": "kid",
                     *           "kty": "RSA",
                     *           "n": "n",
                     *           "use": "sig",
                     *           "alg": "RS256"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKeySet"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    certificates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key set. Key ids change on rotation: fetch it anew. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "e": "e",
                     *           "kid": "kid",
                     *           "kty": "RSA",
                     *           "n": "n",
                     *           "use": "sig",
                     *           "alg": "RS256"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKeySet"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    jwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key set. Key ids change on rotation: fetch it anew. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "e": "e",
                     *           "kid": "kid",
                     *           "kty": "RSA",
                     *           "n": "n",
                     *           "use": "sig",
                     *           "alg": "RS256"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKeySet"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description The user; the cookie is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthenticatedUser"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no session any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    initUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "acceptTnC": true,
                 *       "additional": {
                 *         "name": "Ada Lovelace",
                 *         "password": "correct horse battery staple"
                 *       },
                 *       "initToken": "ini_…"
                 *     }
                 */
                "application/json": components["schemas"]["InitUser"];
            };
        };
        responses: {
            /** @description The user can log in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "email"
                     *     }
                     */
                    "application/json": components["schemas"]["InitializedUser"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authenticateUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credentials": "password",
                 *       "username": {
                 *         "value": "ada@example.com"
                 *       },
                 *       "password": {
                 *         "value": "correct horse battery staple"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthenticateUser"];
            };
        };
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthenticatedUser"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorizationServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "issuer"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthorizationServerMetadataAnswer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorize: {
        parameters: {
            query: {
                response_type: "code";
                /** @description The application id. */
                client_id: string;
                /** @description One of the application’s, exactly. */
                redirect_uri: string;
                /** @description Base64url SHA-256 of the verifier. */
                code_challenge: string;
                code_challenge_method: "S256";
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that asks to log in, or to agree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                };
            };
            /** @description To the application, with `code`, `state` and `iss`, or with `error`. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorizeDecision: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "response_type=code&client_id=dev-app&…",
                 *       "csrf": "…",
                 *       "decision": "approve"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ConsentForm"];
            };
        };
        responses: {
            /** @description A page that asks to log in, or to agree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                };
            };
            /** @description To the application, with `code`, `state` and `iss`, or with `error`. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorizeLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "response_type=code&client_id=dev-app&…",
                 *       "csrf": "…",
                 *       "username": "ada@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["LoginForm"];
            };
        };
        responses: {
            /** @description A page that asks to log in, or to agree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                };
            };
            /** @description To the application, with `code`, `state` and `iss`, or with `error`. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorizeLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes (16 kB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "response_type=code&client_id=dev-app&…",
                 *       "csrf": "…"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["OtherUserForm"];
            };
        };
        responses: {
            /** @description A page that asks to log in, or to agree. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                };
            };
            /** @description To the application, with `code`, `state` and `iss`, or with `error`. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListOrganizations: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Those that are archived, or stand in what is, in place of the others. */
                archived?: boolean;
                /** @description Also those in which the caller holds no role itself. */
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "organizationId": "example",
                     *           "uid": "uid",
                     *           "name": "name",
                     *           "imageUrl": "imageUrl",
                     *           "archivedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganizationPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "organizationId": "example",
                 *       "name": "Example"
                 *     }
                 */
                "application/json": components["schemas"]["AdminCreateOrganizationBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "example",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "example",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetOrganizationImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["AdminImage"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "example",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminArchiveOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "example",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRestoreOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "example",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminOrganization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListProjects: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Those that are archived, or stand in what is, in place of the others. */
                archived?: boolean;
                organizationId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "projectId": "payments",
                     *           "uid": "uid",
                     *           "name": "name",
                     *           "organizationId": "example",
                     *           "archivedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminProjectPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "projectId": "payments",
                 *       "name": "Payments",
                 *       "organizationId": "example"
                 *     }
                 */
                "application/json": components["schemas"]["AdminCreateProjectBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "payments",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "organizationId": "example",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminProject"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "payments",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "organizationId": "example",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminProject"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminArchiveProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "payments",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "organizationId": "example",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminProject"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRestoreProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "payments",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "organizationId": "example",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminProject"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListApps: {
        parameters: {
            query: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Those that are archived, or stand in what is, in place of the others. */
                archived?: boolean;
                projectId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "appId": "shop",
                     *           "uid": "uid",
                     *           "name": "name",
                     *           "projectId": "payments",
                     *           "appUrl": "appUrl",
                     *           "imageUrl": "imageUrl",
                     *           "redirectUris": [
                     *             "redirectUris"
                     *           ],
                     *           "formerToken": true,
                     *           "archivedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAppPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "appId": "shop",
                 *       "name": "Shop",
                 *       "projectId": "payments",
                 *       "redirectUris": [
                 *         "https://shop.example/callback"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AdminCreateAppBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUpdateApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop"
                 *     }
                 */
                "application/json": components["schemas"]["AdminUpdateAppBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetAppImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["AdminImage"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminArchiveApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRestoreApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "uid": "uid",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "appUrl": "appUrl",
                     *       "imageUrl": "imageUrl",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true,
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListAccounts: {
        parameters: {
            query: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Those that are archived, or stand in what is, in place of the others. */
                archived?: boolean;
                projectId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "accountId": "payments",
                     *           "serviceId": "serviceId",
                     *           "name": "name",
                     *           "email": "email",
                     *           "projectId": "payments",
                     *           "createdBy": "createdBy",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z",
                     *           "archivedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAccountPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accountId": "payments",
                 *       "name": "Payments",
                 *       "projectId": "payments"
                 *     }
                 */
                "application/json": components["schemas"]["AdminCreateAccountBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "serviceId": "serviceId",
                     *       "name": "name",
                     *       "email": "email",
                     *       "projectId": "payments",
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "serviceId": "serviceId",
                     *       "name": "name",
                     *       "email": "email",
                     *       "projectId": "payments",
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminArchiveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "serviceId": "serviceId",
                     *       "name": "name",
                     *       "email": "email",
                     *       "projectId": "payments",
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRestoreAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "serviceId": "serviceId",
                     *       "name": "name",
                     *       "email": "email",
                     *       "projectId": "payments",
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "archivedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListTokens: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
            };
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "tokenId": "tokenId",
                     *           "status": "ENABLED",
                     *           "createdAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminTokenPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenId": "tokenId",
                     *       "apiToken": "sak_…",
                     *       "status": "ENABLED"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNewToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetTokenStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
                tokenId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["AdminSetTokenStatusBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenId": "tokenId",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListKeys: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
            };
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "keyId": 1,
                     *           "status": "ENABLED",
                     *           "publicKey": "publicKey",
                     *           "createdBy": "createdBy",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminKeyPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "keyId": 1,
                     *       "privateKey": "privateKey",
                     *       "tokenUri": "tokenUri"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNewKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetKeyStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description accountId or serviceId. */
                accountId: string;
                keyId: number;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["AdminSetKeyStatusBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": 1,
                     *       "status": "ENABLED",
                     *       "publicKey": "publicKey",
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminIssueAppToken: {
        parameters: {
            query?: {
                keepFormer?: boolean;
            };
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "appToken": "app_…"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedAppToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminEndFormerAppToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last token alone counts. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListIdentities: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Exactly this address, or id of an account. */
                identifier?: string;
                /** @description A part of the identifier. */
                search?: string;
                /** @description Only who holds a role on this resource itself. */
                resourceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "serviceId": "serviceId",
                     *           "type": "USER",
                     *           "identifier": "identifier",
                     *           "name": "name",
                     *           "imageUrl": "imageUrl",
                     *           "status": "ENABLED",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentityPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": "ada@example.com",
                 *       "name": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["AdminCreateIdentityBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUpdateIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["AdminUpdateIdentityBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetIdentityImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["AdminImage"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetIdentityConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "key": "language",
                 *           "value": "en"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AdminSetIdentityConfigBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key": "key",
                     *           "value": "value"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentityConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetIdentityStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "DISABLED"
                 *     }
                 */
                "application/json": components["schemas"]["AdminSetIdentityStatusBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name",
                     *       "imageUrl": "imageUrl",
                     *       "status": "ENABLED",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "type": "USER",
                     *       "identifier": "identifier",
                     *       "name": "name"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminMe"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "role": "role",
                     *           "heldBy": "IDENTITY",
                     *           "description": "description",
                     *           "permissions": [
                     *             "permissions"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminRoles"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListRoleGrants: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description resourceId or resourceUid. */
                resourceId?: string;
                serviceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "serviceId": "serviceId",
                     *           "identifier": "identifier",
                     *           "resourceUid": "resourceUid",
                     *           "resourceId": "resourceId",
                     *           "resourceType": "resourceType",
                     *           "role": "role"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminRoleGrantPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGrantRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serviceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21",
                 *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20",
                 *       "role": "operator"
                 *     }
                 */
                "application/json": components["schemas"]["AdminGrantRoleBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "identifier": "identifier",
                     *       "resourceUid": "resourceUid",
                     *       "resourceId": "resourceId",
                     *       "resourceType": "resourceType",
                     *       "role": "role"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminRoleGrant"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRevokeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceId or resourceUid. */
                resourceId: string;
                serviceId: string;
                role: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was accepted, and happens soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListAppRoleGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceId or resourceUid. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "appId": "shop",
                     *           "role": "role"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAppRoleGrants"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSetAppRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceId or resourceUid. */
                resourceId: string;
                appId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "application"
                 *     }
                 */
                "application/json": components["schemas"]["AdminSetAppRoleBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "role": "role"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminAppRoleGrant"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCheckPermissions: {
        parameters: {
            query: {
                /** @description resourceId or resourceUid. */
                resourceId: string;
                permissions: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allowed": true,
                     *       "missingOfIdentity": [
                     *         "missingOfIdentity"
                     *       ],
                     *       "missingOfApp": [
                     *         "missingOfApp"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminPermissionCheck"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListIdentityPermissions: {
        parameters: {
            query: {
                /** @description resourceId or resourceUid. */
                resourceId: string;
                serviceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "serviceId",
                     *       "resourceUid": "resourceUid",
                     *       "permissions": [
                     *         "permissions"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminIdentityPermissions"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListInvitations: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                state?: "PENDING" | "ACCEPTED" | "REJECTED" | "CANCELED" | "EXPIRED";
                /** @description Of an organization, or of what a role is offered on. */
                resourceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "invitationId": 1,
                     *           "invitationToken": "invitationToken",
                     *           "organizationId": "example",
                     *           "email": "email",
                     *           "state": "state",
                     *           "subject": "subject",
                     *           "message": "message",
                     *           "roles": [
                     *             {
                     *               "resourceUid": "resourceUid",
                     *               "resourceId": "resourceId",
                     *               "resourceType": "resourceType",
                     *               "role": "role"
                     *             }
                     *           ],
                     *           "createdBy": "createdBy",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "expiresAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminInvitationPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "organizationId": "example",
                 *       "email": "ada@example.com",
                 *       "roles": [
                 *         {
                 *           "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20",
                 *           "role": "operator"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AdminInviteBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitationId": 1,
                     *       "invitationToken": "invitationToken",
                     *       "organizationId": "example",
                     *       "email": "email",
                     *       "state": "state",
                     *       "subject": "subject",
                     *       "message": "message",
                     *       "roles": [
                     *         {
                     *           "resourceUid": "resourceUid",
                     *           "resourceId": "resourceId",
                     *           "resourceType": "resourceType",
                     *           "role": "role"
                     *         }
                     *       ],
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "expiresAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminInvitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitationId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitationId": 1,
                     *       "invitationToken": "invitationToken",
                     *       "organizationId": "example",
                     *       "email": "email",
                     *       "state": "state",
                     *       "subject": "subject",
                     *       "message": "message",
                     *       "roles": [
                     *         {
                     *           "resourceUid": "resourceUid",
                     *           "resourceId": "resourceId",
                     *           "resourceType": "resourceType",
                     *           "role": "role"
                     *         }
                     *       ],
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "expiresAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminInvitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCancelInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitationId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nobody can accept it any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminAnswerInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invitationToken": "inv_…",
                 *       "accept": true
                 *     }
                 */
                "application/json": components["schemas"]["AdminAnswerInvitationBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitationId": 1,
                     *       "invitationToken": "invitationToken",
                     *       "organizationId": "example",
                     *       "email": "email",
                     *       "state": "state",
                     *       "subject": "subject",
                     *       "message": "message",
                     *       "roles": [
                     *         {
                     *           "resourceUid": "resourceUid",
                     *           "resourceId": "resourceId",
                     *           "resourceType": "resourceType",
                     *           "role": "role"
                     *         }
                     *       ],
                     *       "createdBy": "createdBy",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "expiresAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminInvitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListLedgers: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Absent: that of the caller. */
                projectId?: string;
                /** @description Only those that are featured. */
                featured?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uid": "uid",
                     *           "ledgerId": "dev-ethereum",
                     *           "name": "name",
                     *           "technology": "technology",
                     *           "type": "type",
                     *           "active": true,
                     *           "featured": true,
                     *           "projectId": "payments",
                     *           "properties": {}
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminLedgerPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateLedger: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ledgerId": "main",
                 *       "name": "Main chain",
                 *       "technology": "ethereum",
                 *       "properties": {
                 *         "chain_id": 1,
                 *         "confirmations": 12
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AdminNewLedger"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "uid",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "technology": "technology",
                     *       "type": "type",
                     *       "active": true,
                     *       "featured": true,
                     *       "projectId": "payments",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminLedger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "uid",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "technology": "technology",
                     *       "type": "type",
                     *       "active": true,
                     *       "featured": true,
                     *       "projectId": "payments",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminLedger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUpdateLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Main chain",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["AdminLedgerChange"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "uid",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "technology": "technology",
                     *       "type": "type",
                     *       "active": true,
                     *       "featured": true,
                     *       "projectId": "payments",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminLedger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDeleteLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetDefaultNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodeId": "nodeId",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "client": "client",
                     *       "uri": "uri",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetDefaultExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerId": "explorerId",
                     *       "ledgerId": "dev-ethereum",
                     *       "nodeId": "nodeId",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "implementations": [
                     *         {
                     *           "type": "type",
                     *           "properties": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminExplorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListNodes: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                ledgerId?: string;
                /** @description Absent: that of the caller. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "nodeId": "nodeId",
                     *           "ledgerId": "dev-ethereum",
                     *           "name": "name",
                     *           "client": "client",
                     *           "uri": "uri",
                     *           "properties": {}
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNodePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "nodeId": "main-1",
                 *       "ledgerId": "main",
                 *       "name": "First node",
                 *       "client": "geth",
                 *       "uri": "https://node.example:8545"
                 *     }
                 */
                "application/json": components["schemas"]["AdminNewNode"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodeId": "nodeId",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "client": "client",
                     *       "uri": "uri",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodeId": "nodeId",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "client": "client",
                     *       "uri": "uri",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUpdateNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "First node",
                 *       "default": true
                 *     }
                 */
                "application/json": components["schemas"]["AdminNodeChange"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodeId": "nodeId",
                     *       "ledgerId": "dev-ethereum",
                     *       "name": "name",
                     *       "client": "client",
                     *       "uri": "uri",
                     *       "properties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AdminNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDeleteNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListExplorers: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Absent: that of the caller. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "explorerId": "explorerId",
                     *           "ledgerId": "dev-ethereum",
                     *           "nodeId": "nodeId",
                     *           "name": "name",
                     *           "projectId": "payments",
                     *           "implementations": [
                     *             {
                     *               "type": "type",
                     *               "properties": {}
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminExplorerPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCreateExplorer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "explorerId": "main-explorer",
                 *       "ledgerId": "main",
                 *       "name": "Explorer",
                 *       "implementations": [
                 *         {
                 *           "type": "external-explorer",
                 *           "properties": {
                 *             "transaction_url": "https://explorer.example/tx/{locator}"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AdminNewExplorer"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerId": "explorerId",
                     *       "ledgerId": "dev-ethereum",
                     *       "nodeId": "nodeId",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "implementations": [
                     *         {
                     *           "type": "type",
                     *           "properties": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminExplorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGetExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerId": "explorerId",
                     *       "ledgerId": "dev-ethereum",
                     *       "nodeId": "nodeId",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "implementations": [
                     *         {
                     *           "type": "type",
                     *           "properties": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminExplorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUpdateExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Explorer"
                 *     }
                 */
                "application/json": components["schemas"]["AdminExplorerChange"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerId": "explorerId",
                     *       "ledgerId": "dev-ethereum",
                     *       "nodeId": "nodeId",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "implementations": [
                     *         {
                     *           "type": "type",
                     *           "properties": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminExplorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDeleteExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListActivities: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Which come first. */
                order?: "oldest" | "newest";
                /** @description resourceId or resourceUid. */
                resourceId?: string;
                /** @description Resource type, or `identity`. */
                resourceType?: string;
                /** @description Such as `ledger-nodes`. */
                service?: string;
                /** @description Such as `create`; with a `service`. */
                action?: string;
                /** @description Only of this time or later. */
                from?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "activityId": "activityId",
                     *           "service": "service",
                     *           "action": "action",
                     *           "resourceType": "resourceType",
                     *           "resourceId": "resourceId",
                     *           "projectId": "payments",
                     *           "target": "target",
                     *           "serviceId": "serviceId",
                     *           "appId": "shop",
                     *           "performedAt": "2026-11-20T12:30:05.310Z",
                     *           "recordedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminActivityPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPermissionsEvaluatorResults: {
        parameters: {
            query: {
                resource: string[];
                permission: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "identity": {
                     *           "serviceId": "serviceId"
                     *         },
                     *         "appId": "shop",
                     *         "missingAppPermissions": [
                     *           "missingAppPermissions"
                     *         ],
                     *         "missingResourcePermissions": [
                     *           "missingResourcePermissions"
                     *         ],
                     *         "resourceId": "resourceId",
                     *         "result": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PermissionEvaluatorResult"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPermissions: {
        parameters: {
            query: {
                resource: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identity": {
                     *         "serviceId": "serviceId"
                     *       },
                     *       "identityPermissions": [
                     *         "identityPermissions"
                     *       ],
                     *       "appPermissions": [
                     *         "appPermissions"
                     *       ],
                     *       "resourceID": "resourceID"
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionListing"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identityOnAppHasPermissionOnResource: {
        parameters: {
            query: {
                permission: string[];
            };
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example true */
                    "application/json": boolean;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPermissionsEvaluatorResult: {
        parameters: {
            query: {
                permissions: string[];
            };
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identity": {
                     *         "serviceId": "serviceId"
                     *       },
                     *       "appId": "shop",
                     *       "missingAppPermissions": [
                     *         "missingAppPermissions"
                     *       ],
                     *       "missingResourcePermissions": [
                     *         "missingResourcePermissions"
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "result": true
                     *     }
                     */
                    "application/json": components["schemas"]["PermissionEvaluatorResult"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createResource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "reserve",
                 *       "type": "billing-account",
                 *       "properties": {
                 *         "currency": "EUR"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateResourceBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceID": "resourceID",
                     *       "resourceUUID": "resourceUUID",
                     *       "type": {
                     *         "id": 1,
                     *         "name": "system"
                     *       },
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "value": "value"
                     *         }
                     *       ],
                     *       "parentId": "parentId"
                     *     }
                     */
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourcesContainingResourceIdForResourceType: {
        parameters: {
            query?: {
                lookupTerm?: string[];
                /** @description Whether all terms must fit, or one. */
                lookupTermStrategy?: "AND" | "OR";
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: resourceID, resourceUUID, parentId, type, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path: {
                type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
                /** @description A part of the id. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourcePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "resourceID": "resourceID",
                     *           "resourceUUID": "resourceUUID",
                     *           "type": {
                     *             "id": 1,
                     *             "name": "system"
                     *           },
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "name": "name",
                     *               "value": "value"
                     *             }
                     *           ],
                     *           "parentId": "parentId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceID": "resourceID",
                     *       "resourceUUID": "resourceUUID",
                     *       "type": {
                     *         "id": 1,
                     *         "name": "system"
                     *       },
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "value": "value"
                     *         }
                     *       ],
                     *       "parentId": "parentId"
                     *     }
                     */
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAllResourcesByType: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Those of this project. */
                project?: string;
                /** @description Those of this organization. */
                organization?: string;
                lookupTerm?: string[];
                /** @description Whether all terms must fit, or one. */
                lookupTermStrategy?: "AND" | "OR";
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: resourceID, resourceUUID, parentId, type, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path: {
                type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourcePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "resourceID": "resourceID",
                     *           "resourceUUID": "resourceUUID",
                     *           "type": {
                     *             "id": 1,
                     *             "name": "system"
                     *           },
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "name": "name",
                     *               "value": "value"
                     *             }
                     *           ],
                     *           "parentId": "parentId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourceOfType: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Those of this project. */
                project?: string;
                /** @description Those of this organization. */
                organization?: string;
                lookupTerm?: string[];
                /** @description Whether all terms must fit, or one. */
                lookupTermStrategy?: "AND" | "OR";
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: resourceID, resourceUUID, parentId, type, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path: {
                type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourcePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "resourceID": "resourceID",
                     *           "resourceUUID": "resourceUUID",
                     *           "type": {
                     *             "id": 1,
                     *             "name": "system"
                     *           },
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "name": "name",
                     *               "value": "value"
                     *             }
                     *           ],
                     *           "parentId": "parentId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourcesForIdentity: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Those of this project. */
                project?: string;
                /** @description Those of this organization. */
                organization?: string;
                lookupTerm?: string[];
                /** @description Whether all terms must fit, or one. */
                lookupTermStrategy?: "AND" | "OR";
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: resourceID, resourceUUID, parentId, type, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path: {
                type: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
                serviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourcePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "resourceID": "resourceID",
                     *           "resourceUUID": "resourceUUID",
                     *           "type": {
                     *             "id": 1,
                     *             "name": "system"
                     *           },
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "name": "name",
                     *               "value": "value"
                     *             }
                     *           ],
                     *           "parentId": "parentId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createLookupTerm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "quarterly"
                 *     }
                 */
                "application/json": components["schemas"]["CreateLookupTermBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "value": "value"
                     *     }
                     */
                    "application/json": components["schemas"]["LookupTerm"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAppIdentityRoles: {
        parameters: {
            query: {
                app: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "identity": {
                     *           "serviceId": "serviceId",
                     *           "identifier": "identifier"
                     *         },
                     *         "app": {
                     *           "appId": "shop",
                     *           "name": "name"
                     *         },
                     *         "role": {
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "permissions": [
                     *             {
                     *               "action": "action",
                     *               "id": 1
                     *             }
                     *           ],
                     *           "roleType": "IDENTITY"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AppIdentityRole"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAppIdentityRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identity": {
                 *         "serviceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21"
                 *       },
                 *       "role": {
                 *         "name": "viewer"
                 *       },
                 *       "app": {
                 *         "appId": "shop"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateAppIdentityRoleBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "identity": {
                     *         "serviceId": "serviceId",
                     *         "identifier": "identifier"
                     *       },
                     *       "app": {
                     *         "appId": "shop",
                     *         "name": "name"
                     *       },
                     *       "role": {
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "permissions": [
                     *           {
                     *             "action": "action",
                     *             "id": 1
                     *           }
                     *         ],
                     *         "roleType": "IDENTITY"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AppIdentityRole"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAppRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "identity": {
                     *           "serviceId": "serviceId",
                     *           "identifier": "identifier"
                     *         },
                     *         "app": {
                     *           "appId": "shop",
                     *           "name": "name"
                     *         },
                     *         "role": {
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "permissions": [
                     *             {
                     *               "action": "action",
                     *               "id": 1
                     *             }
                     *           ],
                     *           "roleType": "IDENTITY"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AppIdentityRole"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setAppRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "app": {
                 *         "appId": "shop"
                 *       },
                 *       "role": {
                 *         "name": "application"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SetAppRoleBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "identity": {
                     *         "serviceId": "serviceId",
                     *         "identifier": "identifier"
                     *       },
                     *       "app": {
                     *         "appId": "shop",
                     *         "name": "name"
                     *       },
                     *       "role": {
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "permissions": [
                     *           {
                     *             "action": "action",
                     *             "id": 1
                     *           }
                     *         ],
                     *         "roleType": "IDENTITY"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AppIdentityRole"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourceIdentityRoles: {
        parameters: {
            query: {
                resource: string;
                identity: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourceIdentityRolePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "identity": {
                     *             "serviceId": "serviceId",
                     *             "identifier": "identifier"
                     *           },
                     *           "resource": {
                     *             "resourceID": "resourceID",
                     *             "resourceUUID": "resourceUUID",
                     *             "type": {
                     *               "id": 1,
                     *               "name": "system"
                     *             },
                     *             "properties": [
                     *               {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "value": "value"
                     *               }
                     *             ],
                     *             "parentId": "parentId"
                     *           },
                     *           "role": {
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "permissions": [
                     *               {
                     *                 "action": "action",
                     *                 "id": 1
                     *               }
                     *             ],
                     *             "roleType": "IDENTITY"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceIdentityRolePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createResourceIdentityRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identity": {
                 *         "serviceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21"
                 *       },
                 *       "role": {
                 *         "name": "viewer"
                 *       },
                 *       "resource": {
                 *         "resourceUUID": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateResourceIdentityRoleBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "identity": {
                     *         "serviceId": "serviceId",
                     *         "identifier": "identifier"
                     *       },
                     *       "resource": {
                     *         "resourceID": "resourceID",
                     *         "resourceUUID": "resourceUUID",
                     *         "type": {
                     *           "id": 1,
                     *           "name": "system"
                     *         },
                     *         "properties": [
                     *           {
                     *             "id": 1,
                     *             "name": "name",
                     *             "value": "value"
                     *           }
                     *         ],
                     *         "parentId": "parentId"
                     *       },
                     *       "role": {
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "permissions": [
                     *           {
                     *             "action": "action",
                     *             "id": 1
                     *           }
                     *         ],
                     *         "roleType": "IDENTITY"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceIdentityRole"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteResourceIdentityRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description resourceID or resourceUUID. */
                resourceId: string;
                serviceId: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was accepted, and happens soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: {
                names?: string[];
                roleType?: "IDENTITY" | "APP";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "permissions": [
                     *           {
                     *             "action": "action",
                     *             "id": 1
                     *           }
                     *         ],
                     *         "roleType": "IDENTITY"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Role"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIdentitiesOnResources: {
        parameters: {
            query: {
                resource: string[];
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, identifier, serviceId, status, type, dateCreated, dateUpdated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "IdentityPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "dateCreated": 1795177805310,
                     *           "dateUpdated": 1795177805310,
                     *           "id": 1,
                     *           "identifier": "identifier",
                     *           "identityProfile": {
                     *             "displayName": "displayName",
                     *             "imageURL": "imageURL"
                     *           },
                     *           "serviceId": "serviceId",
                     *           "status": "ENABLED",
                     *           "type": "USER"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAppIdentityProperties: {
        parameters: {
            query: {
                app: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "identity": {
                     *           "serviceId": "serviceId",
                     *           "identifier": "identifier"
                     *         },
                     *         "app": {
                     *           "appId": "shop",
                     *           "name": "name"
                     *         },
                     *         "name": "name",
                     *         "value": "value"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AppIdentityProperty"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAppIdentityProperty: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identity": {
                 *         "serviceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21"
                 *       },
                 *       "app": {
                 *         "appId": "shop"
                 *       },
                 *       "name": "plan",
                 *       "value": "basic"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAppIdentityPropertyBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "identity": {
                     *         "serviceId": "serviceId",
                     *         "identifier": "identifier"
                     *       },
                     *       "app": {
                     *         "appId": "shop",
                     *         "name": "name"
                     *       },
                     *       "name": "name",
                     *       "value": "value"
                     *     }
                     */
                    "application/json": components["schemas"]["AppIdentityProperty"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: {
                filter_by?: "IDENTIFIER" | "SERVICE_ID";
                identifiers?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "id": 1,
                     *         "identifier": "identifier",
                     *         "identityProfile": {
                     *           "displayName": "displayName",
                     *           "imageURL": "imageURL"
                     *         },
                     *         "serviceId": "serviceId",
                     *         "status": "ENABLED",
                     *         "type": "USER"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createIdentity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": "ada@example.com",
                 *       "type": "USER",
                 *       "identityProfile": {
                 *         "displayName": "Ada"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateIdentityBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIdentity: {
        parameters: {
            query?: {
                filter_by?: "IDENTIFIER" | "SERVICE_ID";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIdentityStatus: {
        parameters: {
            query: {
                status: "ENABLED" | "DISABLED" | "LOCKED" | "PENDING";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "id": 1,
                     *       "identifier": "identifier",
                     *       "identityProfile": {
                     *         "displayName": "displayName",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "serviceId": "serviceId",
                     *       "status": "ENABLED",
                     *       "type": "USER"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A part of the identifier. */
                searchCriteria: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "id": 1,
                     *         "identifier": "identifier",
                     *         "identityProfile": {
                     *           "displayName": "displayName",
                     *           "imageURL": "imageURL"
                     *         },
                     *         "serviceId": "serviceId",
                     *         "status": "ENABLED",
                     *         "type": "USER"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchIdentitiesInResources: {
        parameters: {
            query?: {
                resources?: string[];
            };
            header?: never;
            path: {
                /** @description A part of the identifier. */
                searchCriteria: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "id": 1,
                     *         "identifier": "identifier",
                     *         "identityProfile": {
                     *           "displayName": "displayName",
                     *           "imageURL": "imageURL"
                     *         },
                     *         "serviceId": "serviceId",
                     *         "status": "ENABLED",
                     *         "type": "USER"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIdentitiesOfResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "id": 1,
                     *         "identifier": "identifier",
                     *         "identityProfile": {
                     *           "displayName": "displayName",
                     *           "imageURL": "imageURL"
                     *         },
                     *         "serviceId": "serviceId",
                     *         "status": "ENABLED",
                     *         "type": "USER"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIdentityConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "key": "language",
                 *           "value": "en"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["IdentityConfig"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key": "key",
                     *           "value": "value"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateIdentityProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Ada Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateIdentityProfileBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "displayName": "displayName"
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityProfile"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setIdentityImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serviceId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["ImageBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "displayName": "displayName"
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityProfile"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createServiceAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "payments",
                 *       "accountId": "payments",
                 *       "project": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20"
                 *     }
                 */
                "application/json": components["schemas"]["CreateServiceAccountBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "createdBy": "createdBy",
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "email": "email",
                     *       "id": 1,
                     *       "name": "name",
                     *       "project": "project",
                     *       "resourceId": "resourceId",
                     *       "updatedBy": "updatedBy",
                     *       "serviceId": "serviceId"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getServiceAccount: {
        parameters: {
            query?: {
                filter_by?: "EMAIL" | "SERVICE_ACCOUNT_ID";
            };
            header?: never;
            path: {
                emailOrAccountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "createdBy": "createdBy",
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "email": "email",
                     *       "id": 1,
                     *       "name": "name",
                     *       "project": "project",
                     *       "resourceId": "resourceId",
                     *       "updatedBy": "updatedBy",
                     *       "serviceId": "serviceId"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listServiceAccountsOfProject: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, accountId, resourceId, serviceId, email, project, createdBy, updatedBy, dateCreated, dateUpdated. */
                sort?: string[];
            };
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ServiceAccountPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "accountId": "payments",
                     *           "createdBy": "createdBy",
                     *           "dateCreated": 1795177805310,
                     *           "dateUpdated": 1795177805310,
                     *           "email": "email",
                     *           "id": 1,
                     *           "name": "name",
                     *           "project": "project",
                     *           "resourceId": "resourceId",
                     *           "updatedBy": "updatedBy",
                     *           "serviceId": "serviceId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccountPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validateServiceAccountCredentials: {
        parameters: {
            query: {
                authType: "privateKey" | "apiToken";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "payments@ledger.example",
                 *       "secret": "sak_…"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialValidation"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountId": "payments",
                     *       "createdBy": "createdBy",
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "email": "email",
                     *       "id": 1,
                     *       "name": "name",
                     *       "project": "project",
                     *       "resourceId": "resourceId",
                     *       "updatedBy": "updatedBy",
                     *       "serviceId": "serviceId"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listServiceAccountApiTokens: {
        parameters: {
            query?: {
                status?: "ENABLED" | "DISABLED";
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "apiToken": "sak_…",
                     *         "status": "ENABLED",
                     *         "dateCreated": 1795177805310
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiToken"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createServiceAccountApiToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "apiToken": "sak_…",
                     *       "handle": "handle",
                     *       "status": "ENABLED"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedApiToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateServiceAccountApiTokenStatus: {
        parameters: {
            query: {
                status: "ENABLED" | "DISABLED";
            };
            header?: never;
            path: {
                /** @description The handle. */
                apiToken: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "apiToken": "sak_…",
                     *       "status": "ENABLED",
                     *       "dateCreated": 1795177805310
                     *     }
                     */
                    "application/json": components["schemas"]["ApiToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listServiceAccountKeys: {
        parameters: {
            query: {
                status: "ENABLED" | "DISABLED";
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "generatedBy": "generatedBy",
                     *         "id": 1,
                     *         "keyID": 1,
                     *         "privateKeyFormat": "privateKeyFormat",
                     *         "publicKey": "publicKey",
                     *         "publicKeyFormat": "publicKeyFormat",
                     *         "serviceAccount": "serviceAccount",
                     *         "status": "ENABLED"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ServiceAccountKey"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateServiceAccountKeyStatus: {
        parameters: {
            query: {
                keyId: number;
                status: "ENABLED" | "DISABLED";
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "generatedBy": "generatedBy",
                     *       "id": 1,
                     *       "keyID": 1,
                     *       "privateKeyFormat": "privateKeyFormat",
                     *       "publicKey": "publicKey",
                     *       "publicKeyFormat": "publicKeyFormat",
                     *       "serviceAccount": "serviceAccount",
                     *       "status": "ENABLED"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccountKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    generateServiceAccountKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "identifier",
                     *       "keyID": 1,
                     *       "privateKey": "privateKey",
                     *       "accountId": "payments",
                     *       "keyId": 1,
                     *       "tokenUri": "tokenUri"
                     *     }
                     */
                    "application/json": components["schemas"]["GeneratedKey"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Also those in which the caller holds no role itself. */
                all?: boolean;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, organizationID, resourceId, resourceUUID, imageURL, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "OrganizationPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "organizationID": "example",
                     *           "resourceId": "resourceId",
                     *           "resourceUUID": "resourceUUID",
                     *           "imageURL": "imageURL"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: {
                assignAuthenticatedUser?: boolean;
            };
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Example",
                 *       "organizationID": "example"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOrganizationBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "name",
                     *       "organizationID": "example",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "imageURL": "imageURL"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "name",
                     *       "organizationID": "example",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "imageURL": "imageURL"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setOrganizationImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["ImageBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "name",
                     *       "organizationID": "example",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "imageURL": "imageURL"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query: {
                organization: string;
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, projectID, resourceId, resourceUUID, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ProjectPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "organization": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "organizationID": "example",
                     *             "resourceId": "resourceId",
                     *             "resourceUUID": "resourceUUID",
                     *             "imageURL": "imageURL"
                     *           },
                     *           "projectID": "payments",
                     *           "resourceId": "resourceId",
                     *           "resourceUUID": "resourceUUID"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "projectID": "payments",
                 *       "organization": {
                 *         "organizationID": "example"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateProjectBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "name",
                     *       "organization": {
                     *         "id": 1,
                     *         "name": "name",
                     *         "organizationID": "example",
                     *         "resourceId": "resourceId",
                     *         "resourceUUID": "resourceUUID",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "projectID": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "name",
                     *       "organization": {
                     *         "id": 1,
                     *         "name": "name",
                     *         "organizationID": "example",
                     *         "resourceId": "resourceId",
                     *         "resourceUUID": "resourceUUID",
                     *         "imageURL": "imageURL"
                     *       },
                     *       "projectID": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "appId": "shop",
                 *       "projectId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20",
                 *       "redirectUris": [
                 *         "https://shop.example/callback"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateAppBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appURL": "appURL",
                     *       "id": 1,
                     *       "imageURL": "imageURL",
                     *       "appId": "shop",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true
                     *     }
                     */
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appURL": "appURL",
                     *       "id": 1,
                     *       "imageURL": "imageURL",
                     *       "appId": "shop",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true
                     *     }
                     */
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "appURL": "https://shop.example"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAppBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appURL": "appURL",
                     *       "id": 1,
                     *       "imageURL": "imageURL",
                     *       "appId": "shop",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true
                     *     }
                     */
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setAppImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        /** @description At most 1572864 bytes (1.5 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                 *       "format": "png"
                 *     }
                 */
                "application/json": components["schemas"]["ImageBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appURL": "appURL",
                     *       "id": 1,
                     *       "imageURL": "imageURL",
                     *       "appId": "shop",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true
                     *     }
                     */
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAppByToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appToken: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appURL": "appURL",
                     *       "id": 1,
                     *       "imageURL": "imageURL",
                     *       "appId": "shop",
                     *       "name": "name",
                     *       "projectId": "payments",
                     *       "resourceId": "resourceId",
                     *       "resourceUUID": "resourceUUID",
                     *       "redirectUris": [
                     *         "redirectUris"
                     *       ],
                     *       "formerToken": true
                     *     }
                     */
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAppsOfProject: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, appId, appURL, imageURL, projectId, resourceId, resourceUUID, formerToken, dateCreated, dateUpdated. */
                sort?: string[];
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "AppPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "appURL": "appURL",
                     *           "id": 1,
                     *           "imageURL": "imageURL",
                     *           "appId": "shop",
                     *           "name": "name",
                     *           "projectId": "payments",
                     *           "resourceId": "resourceId",
                     *           "resourceUUID": "resourceUUID",
                     *           "redirectUris": [
                     *             "redirectUris"
                     *           ],
                     *           "formerToken": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AppPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    issueAppToken: {
        parameters: {
            query?: {
                keepFormer?: boolean;
            };
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": "shop",
                     *       "appToken": "app_…"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedAppToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endFormerAppToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last token alone counts. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query: {
                invitationState: "PENDING" | "CANCELED" | "ACCEPTED" | "REJECTED" | "EXPIRED";
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "createdByIdentity": {
                     *           "serviceId": "serviceId"
                     *         },
                     *         "dateCreated": 1795177805310,
                     *         "dateExpires": 1,
                     *         "emailSubject": "emailSubject",
                     *         "id": 1,
                     *         "invitationResourceRoles": [
                     *           {
                     *             "id": 1,
                     *             "resource": {
                     *               "resourceID": "resourceID",
                     *               "resourceUUID": "resourceUUID",
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "system"
                     *               },
                     *               "properties": [
                     *                 {
                     *                   "id": 1,
                     *                   "name": "name",
                     *                   "value": "value"
                     *                 }
                     *               ],
                     *               "parentId": "parentId"
                     *             },
                     *             "role": {
                     *               "description": "description",
                     *               "id": 1,
                     *               "name": "name",
                     *               "permissions": [
                     *                 {
                     *                   "action": "action",
                     *                   "id": 1
                     *                 }
                     *               ],
                     *               "roleType": "IDENTITY"
                     *             }
                     *           }
                     *         ],
                     *         "invitationState": "PENDING",
                     *         "invitationToken": "invitationToken",
                     *         "message": "message",
                     *         "organizationId": "example",
                     *         "userEmail": "userEmail"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    respondToInvitation: {
        parameters: {
            query?: {
                invitationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "invitationToken": "inv_…",
                 *       "invitationState": "REJECTED"
                 *     }
                 */
                "application/json": components["schemas"]["RespondToInvitationBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "createdByIdentity": {
                     *         "serviceId": "serviceId"
                     *       },
                     *       "dateCreated": 1795177805310,
                     *       "dateExpires": 1,
                     *       "emailSubject": "emailSubject",
                     *       "id": 1,
                     *       "invitationResourceRoles": [
                     *         {
                     *           "id": 1,
                     *           "resource": {
                     *             "resourceID": "resourceID",
                     *             "resourceUUID": "resourceUUID",
                     *             "type": {
                     *               "id": 1,
                     *               "name": "system"
                     *             },
                     *             "properties": [
                     *               {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "value": "value"
                     *               }
                     *             ],
                     *             "parentId": "parentId"
                     *           },
                     *           "role": {
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "permissions": [
                     *               {
                     *                 "action": "action",
                     *                 "id": 1
                     *               }
                     *             ],
                     *             "roleType": "IDENTITY"
                     *           }
                     *         }
                     *       ],
                     *       "invitationState": "PENDING",
                     *       "invitationToken": "invitationToken",
                     *       "message": "message",
                     *       "organizationId": "example",
                     *       "userEmail": "userEmail"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: {
                saml?: boolean;
                organizationId?: string;
            };
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userEmail": "grace@example.com",
                 *       "organizationId": "example",
                 *       "message": "Welcome.",
                 *       "invitationResourceRoles": [
                 *         {
                 *           "resource": {
                 *             "resourceUUID": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20"
                 *           },
                 *           "role": {
                 *             "name": "viewer"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["InviteUserBody"];
            };
        };
        responses: {
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "createdByIdentity": {
                     *         "serviceId": "serviceId"
                     *       },
                     *       "dateCreated": 1795177805310,
                     *       "dateExpires": 1,
                     *       "emailSubject": "emailSubject",
                     *       "id": 1,
                     *       "invitationResourceRoles": [
                     *         {
                     *           "id": 1,
                     *           "resource": {
                     *             "resourceID": "resourceID",
                     *             "resourceUUID": "resourceUUID",
                     *             "type": {
                     *               "id": 1,
                     *               "name": "system"
                     *             },
                     *             "properties": [
                     *               {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "value": "value"
                     *               }
                     *             ],
                     *             "parentId": "parentId"
                     *           },
                     *           "role": {
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "permissions": [
                     *               {
                     *                 "action": "action",
                     *                 "id": 1
                     *               }
                     *             ],
                     *             "roleType": "IDENTITY"
                     *           }
                     *         }
                     *       ],
                     *       "invitationState": "PENDING",
                     *       "invitationToken": "invitationToken",
                     *       "message": "message",
                     *       "organizationId": "example",
                     *       "userEmail": "userEmail"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOrganizationsForInvitation: {
        parameters: {
            query?: {
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Also those in which the caller holds no role itself. */
                all?: boolean;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, organizationID, resourceId, resourceUUID, imageURL, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "OrganizationPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "organizationID": "example",
                     *           "resourceId": "resourceId",
                     *           "resourceUUID": "resourceUUID",
                     *           "imageURL": "imageURL"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourceIdentityRolesOfIdentityForInvitation: {
        parameters: {
            query?: {
                resource?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path: {
                identityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourceIdentityRolePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "identity": {
                     *             "serviceId": "serviceId",
                     *             "identifier": "identifier"
                     *           },
                     *           "resource": {
                     *             "resourceID": "resourceID",
                     *             "resourceUUID": "resourceUUID",
                     *             "type": {
                     *               "id": 1,
                     *               "name": "system"
                     *             },
                     *             "properties": [
                     *               {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "value": "value"
                     *               }
                     *             ],
                     *             "parentId": "parentId"
                     *           },
                     *           "role": {
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "permissions": [
                     *               {
                     *                 "action": "action",
                     *                 "id": 1
                     *               }
                     *             ],
                     *             "roleType": "IDENTITY"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceIdentityRolePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIdentitiesForInvitation: {
        parameters: {
            query: {
                resources: string[];
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, identifier, serviceId, status, type, dateCreated, dateUpdated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "IdentityPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "dateCreated": 1795177805310,
                     *           "dateUpdated": 1795177805310,
                     *           "id": 1,
                     *           "identifier": "identifier",
                     *           "identityProfile": {
                     *             "displayName": "displayName",
                     *             "imageURL": "imageURL"
                     *           },
                     *           "serviceId": "serviceId",
                     *           "status": "ENABLED",
                     *           "type": "USER"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourceIdentityRolesForInvitation: {
        parameters: {
            query: {
                resource: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourceIdentityRolePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "identity": {
                     *             "serviceId": "serviceId",
                     *             "identifier": "identifier"
                     *           },
                     *           "resource": {
                     *             "resourceID": "resourceID",
                     *             "resourceUUID": "resourceUUID",
                     *             "type": {
                     *               "id": 1,
                     *               "name": "system"
                     *             },
                     *             "properties": [
                     *               {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "value": "value"
                     *               }
                     *             ],
                     *             "parentId": "parentId"
                     *           },
                     *           "role": {
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "permissions": [
                     *               {
                     *                 "action": "action",
                     *                 "id": 1
                     *               }
                     *             ],
                     *             "roleType": "IDENTITY"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceIdentityRolePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listResourcesForInvitation: {
        parameters: {
            query: {
                resourceType: "system" | "organization" | "project" | "app" | "wallet" | "cloud-wallet" | "node" | "ledger" | "explorer" | "identity-group" | "service-account" | "smart-contract-template" | "smart-contract-instance" | "ledger-token" | "plugin" | "billing-account" | "contract-group";
                /** @description Exactly this id; empty: all. */
                resourceId?: string;
                /** @description Those of this project. */
                project?: string;
                /** @description Those of this organization. */
                organization?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: resourceID, resourceUUID, parentId, type, dateCreated. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ResourcePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "resourceID": "resourceID",
                     *           "resourceUUID": "resourceUUID",
                     *           "type": {
                     *             "id": 1,
                     *             "name": "system"
                     *           },
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "name": "name",
                     *               "value": "value"
                     *             }
                     *           ],
                     *           "parentId": "parentId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the image, from its URL. */
                imageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example … */
                    "image/png": string;
                    /** @example … */
                    "image/jpeg": string;
                    /** @example … */
                    "image/webp": string;
                    /** @example <svg xmlns="http://www.w3.org/2000/svg"/> */
                    "image/svg+xml": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractGroups: {
        parameters: {
            query: {
                /** @description Id of the project. */
                project: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: groupId, name, createdAt. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ContractGroupPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "groupId": "groupId",
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractGroupPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerContractGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "tokens",
                 *       "projectId": "dev-project"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContractGroupBody"];
            };
        };
        responses: {
            /** @description The group. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "name": "tokens"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractGroup"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContractGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "name": "tokens"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractGroup"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateContractGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "tokens"
                 *     }
                 */
                "application/json": components["schemas"]["ContractGroupUpdate"];
            };
        };
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "name": "tokens"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractGroup"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteContractGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContracts: {
        parameters: {
            query?: {
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: contractId, groupId, name, interface, ledgerId, nativeReference, createdAt. */
                sort?: string[];
            };
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of contracts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ContractPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "contractId": "contractId",
                     *           "groupId": "groupId",
                     *           "interface": "interface",
                     *           "ledgerReference": {
                     *             "ledgerId": "dev-ethereum",
                     *             "nativeReference": "nativeReference"
                     *           },
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerContract: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
            };
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                 *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]",
                 *       "ledgerReference": {
                 *         "ledgerId": "dev-ethereum",
                 *         "nativeReference": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                 *       },
                 *       "name": "token"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContractBody"];
            };
        };
        responses: {
            /** @description The contract. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]",
                     *       "ledgerReference": {
                     *         "ledgerId": "dev-ethereum",
                     *         "nativeReference": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                     *       },
                     *       "name": "token"
                     *     }
                     */
                    "application/json": components["schemas"]["Contract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]",
                     *       "ledgerReference": {
                     *         "ledgerId": "dev-ethereum",
                     *         "nativeReference": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                     *       },
                     *       "name": "token"
                     *     }
                     */
                    "application/json": components["schemas"]["Contract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "token",
                 *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]"
                 *     }
                 */
                "application/json": components["schemas"]["ContractUpdate"];
            };
        };
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]",
                     *       "ledgerReference": {
                     *         "ledgerId": "dev-ethereum",
                     *         "nativeReference": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                     *       },
                     *       "name": "token"
                     *     }
                     */
                    "application/json": components["schemas"]["Contract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractsOfProject: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Absent: that of the caller. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "contractId": "contractId",
                     *           "groupId": "groupId",
                     *           "interface": "interface",
                     *           "ledgerReference": {
                     *             "ledgerId": "dev-ethereum",
                     *             "nativeReference": "nativeReference"
                     *           },
                     *           "name": "name"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                     *       "groupId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13",
                     *       "interface": "[{\"type\":\"function\",\"name\":\"totalSupply\",\"inputs\":[],\"outputs\":[{\"type\":\"uint256\"}],\"stateMutability\":\"view\"}]",
                     *       "ledgerReference": {
                     *         "ledgerId": "dev-ethereum",
                     *         "nativeReference": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                     *       },
                     *       "name": "token"
                     *     }
                     */
                    "application/json": components["schemas"]["Contract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContractDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractMethods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The methods, in the order of the interface. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "methods": [
                     *         {
                     *           "name": "name",
                     *           "signature": "signature",
                     *           "view": true,
                     *           "inputs": [
                     *             {
                     *               "name": "name",
                     *               "type": "type"
                     *             }
                     *           ],
                     *           "outputs": [
                     *             {
                     *               "name": "name",
                     *               "type": "type"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "events": [
                     *         "events"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractMethods"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callContractMethod: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the group. */
                contractGroupId: string;
                /** @description Id of the contract. */
                smartContractId: string;
                /** @description Name or signature of the method. */
                method: string;
            };
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "arguments": {
                 *         "to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "amount": "1"
                 *       },
                 *       "walletId": "alice",
                 *       "walletPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["ContractMethodCall"];
            };
        };
        responses: {
            /** @description What the method says now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["ContractMethodResult"];
                };
            };
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actionId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                     *       "status": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["ActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractTemplates: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
                /** @description Absent: that of the caller. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "templateId": "templateId",
                     *           "name": "name",
                     *           "description": "description"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplateList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createContractTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "templateId": "dev-token",
                 *       "name": "Token"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContractTemplateBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "templateId",
                     *       "name": "name",
                     *       "description": "description"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplate"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContractTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "templateId",
                     *       "name": "name",
                     *       "description": "description"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplate"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractTemplateVersions: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
            };
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, without sources and compiled output. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "templateId": "templateId",
                     *           "version": "version",
                     *           "technology": "technology",
                     *           "description": "description",
                     *           "status": "PENDING",
                     *           "messages": [
                     *             {
                     *               "severity": "error",
                     *               "message": "message",
                     *               "file": "file",
                     *               "line": 1,
                     *               "column": 1
                     *             }
                     *           ],
                     *           "language": "language",
                     *           "compilerVersion": "compilerVersion",
                     *           "checksum": "checksum",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplateVersionList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createContractTemplateVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the template. */
                templateId: string;
            };
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": "1",
                 *       "code": "pragma solidity ^0.8.26; contract Answer { uint256 public constant value = 42; }"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContractTemplateVersionBody"];
            };
        };
        responses: {
            /** @description It is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "templateId",
                     *       "version": "version",
                     *       "technology": "technology",
                     *       "description": "description",
                     *       "status": "PENDING",
                     *       "messages": [
                     *         {
                     *           "severity": "error",
                     *           "message": "message",
                     *           "file": "file",
                     *           "line": 1,
                     *           "column": 1
                     *         }
                     *       ],
                     *       "language": "language",
                     *       "compilerVersion": "compilerVersion",
                     *       "checksum": "checksum",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "sources": "sources",
                     *       "compiled": "compiled"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplateVersion"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContractTemplateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
                /** @description Name of the version. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "templateId",
                     *       "version": "version",
                     *       "technology": "technology",
                     *       "description": "description",
                     *       "status": "PENDING",
                     *       "messages": [
                     *         {
                     *           "severity": "error",
                     *           "message": "message",
                     *           "file": "file",
                     *           "line": 1,
                     *           "column": 1
                     *         }
                     *       ],
                     *       "language": "language",
                     *       "compilerVersion": "compilerVersion",
                     *       "checksum": "checksum",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "sources": "sources",
                     *       "compiled": "compiled"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplateVersion"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTemplateConstructor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
                /** @description Name of the version. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The arguments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "inputs": [
                     *         {
                     *           "name": "name",
                     *           "type": "type"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractConstructor"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listActiveLedgers: {
        parameters: {
            query?: {
                /** @description Id of the project; absent: that of the caller’s application. */
                project?: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, uid, ledgerID, name, projectId, resourceId, active, featured. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of ledgers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "LedgerPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "active": true,
                     *           "id": 1,
                     *           "ledgerID": "dev-ethereum",
                     *           "ledgerTechnology": {
                     *             "id": 1,
                     *             "ledgerTechnologyID": "ledgerTechnologyID",
                     *             "name": "name"
                     *           },
                     *           "name": "name",
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "resourceId": "resourceId",
                     *           "type": {
                     *             "name": "name"
                     *           },
                     *           "uid": "uid",
                     *           "projectId": "payments",
                     *           "featured": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createLedger: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ledgerID": "main",
                 *       "name": "Main chain",
                 *       "ledgerTechnology": {
                 *         "ledgerTechnologyID": "ethereum"
                 *       },
                 *       "properties": [
                 *         {
                 *           "type": {
                 *             "name": "chain_id"
                 *           },
                 *           "value": 1
                 *         },
                 *         {
                 *           "type": {
                 *             "name": "confirmations"
                 *           },
                 *           "value": 12
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateLedgerBody"];
            };
        };
        responses: {
            /** @description The ledger. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "ledgerTechnology": {
                     *         "id": 1,
                     *         "ledgerTechnologyID": "ledgerTechnologyID",
                     *         "name": "name"
                     *       },
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "type": {
                     *         "name": "name"
                     *       },
                     *       "uid": "uid",
                     *       "projectId": "payments",
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ledger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFeaturedLedgers: {
        parameters: {
            query?: {
                /** @description Id of the project; absent: that of the caller’s application. */
                project?: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, uid, ledgerID, name, projectId, resourceId, active, featured. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of ledgers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "LedgerPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "active": true,
                     *           "id": 1,
                     *           "ledgerID": "dev-ethereum",
                     *           "ledgerTechnology": {
                     *             "id": 1,
                     *             "ledgerTechnologyID": "ledgerTechnologyID",
                     *             "name": "name"
                     *           },
                     *           "name": "name",
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "resourceId": "resourceId",
                     *           "type": {
                     *             "name": "name"
                     *           },
                     *           "uid": "uid",
                     *           "projectId": "payments",
                     *           "featured": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ledger. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "ledgerTechnology": {
                     *         "id": 1,
                     *         "ledgerTechnologyID": "ledgerTechnologyID",
                     *         "name": "name"
                     *       },
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "type": {
                     *         "name": "name"
                     *       },
                     *       "uid": "uid",
                     *       "projectId": "payments",
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ledger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Main chain",
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["LedgerUpdate"];
            };
        };
        responses: {
            /** @description The ledger. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "ledgerTechnology": {
                     *         "id": 1,
                     *         "ledgerTechnologyID": "ledgerTechnologyID",
                     *         "name": "name"
                     *       },
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "type": {
                     *         "name": "name"
                     *       },
                     *       "uid": "uid",
                     *       "projectId": "payments",
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["Ledger"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteLedger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: {
                /** @description Id of the project; absent: that of the caller’s application. */
                project?: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, nodeID, name, client, uri, ledgerID, resourceId. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of nodes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "NodePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "client": "client",
                     *           "id": 1,
                     *           "name": "name",
                     *           "nodeID": "nodeID",
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "resourceId": "resourceId",
                     *           "uri": "uri",
                     *           "ledgerID": "dev-ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NodePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createNode: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "nodeID": "main-1",
                 *       "ledgerID": "main",
                 *       "name": "First node",
                 *       "client": "geth",
                 *       "options": {
                 *         "uri": "https://node.example:8545"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateNodeBody"];
            };
        };
        responses: {
            /** @description The node. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client": "client",
                     *       "id": 1,
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "uri": "uri",
                     *       "ledgerID": "dev-ethereum"
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNodesOfLedger: {
        parameters: {
            query?: {
                /** @description Id of the project; absent: that of the caller’s application. */
                project?: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, nodeID, name, client, uri, ledgerID, resourceId. */
                sort?: string[];
            };
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of nodes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "NodePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "client": "client",
                     *           "id": 1,
                     *           "name": "name",
                     *           "nodeID": "nodeID",
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "resourceId": "resourceId",
                     *           "uri": "uri",
                     *           "ledgerID": "dev-ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NodePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDefaultNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client": "client",
                     *       "id": 1,
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "uri": "uri",
                     *       "ledgerID": "dev-ethereum"
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client": "client",
                     *       "id": 1,
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "uri": "uri",
                     *       "ledgerID": "dev-ethereum"
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "First node",
                 *       "default": true
                 *     }
                 */
                "application/json": components["schemas"]["NodeUpdate"];
            };
        };
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "client": "client",
                     *       "id": 1,
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "uri": "uri",
                     *       "ledgerID": "dev-ethereum"
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerNode"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "id",
                     *           "url": "url",
                     *           "description": "description",
                     *           "types": [
                     *             "action.accepted"
                     *           ],
                     *           "ledgers": [
                     *             "ledgers"
                     *           ],
                     *           "wallets": [
                     *             "wallets"
                     *           ],
                     *           "format": "standard",
                     *           "status": "ENABLED",
                     *           "reason": "reason",
                     *           "failingSince": "2026-11-20T12:30:05.310Z",
                     *           "earlierSecretUntil": "2026-11-20T12:30:05.310Z",
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "updatedAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example/events",
                 *       "types": [
                 *         "action.succeeded",
                 *         "action.failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            /** @description The webhook. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "url": "url",
                     *       "description": "description",
                     *       "types": [
                     *         "action.accepted"
                     *       ],
                     *       "ledgers": [
                     *         "ledgers"
                     *       ],
                     *       "wallets": [
                     *         "wallets"
                     *       ],
                     *       "format": "standard",
                     *       "status": "ENABLED",
                     *       "reason": "reason",
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "earlierSecretUntil": "2026-11-20T12:30:05.310Z",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "secret": "secret"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "url": "url",
                     *       "description": "description",
                     *       "types": [
                     *         "action.accepted"
                     *       ],
                     *       "ledgers": [
                     *         "ledgers"
                     *       ],
                     *       "wallets": [
                     *         "wallets"
                     *       ],
                     *       "format": "standard",
                     *       "status": "ENABLED",
                     *       "reason": "reason",
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "earlierSecretUntil": "2026-11-20T12:30:05.310Z",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "ENABLED"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "url": "url",
                     *       "description": "description",
                     *       "types": [
                     *         "action.accepted"
                     *       ],
                     *       "ledgers": [
                     *         "ledgers"
                     *       ],
                     *       "wallets": [
                     *         "wallets"
                     *       ],
                     *       "format": "standard",
                     *       "status": "ENABLED",
                     *       "reason": "reason",
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "earlierSecretUntil": "2026-11-20T12:30:05.310Z",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "url": "url",
                     *       "description": "description",
                     *       "types": [
                     *         "action.accepted"
                     *       ],
                     *       "ledgers": [
                     *         "ledgers"
                     *       ],
                     *       "wallets": [
                     *         "wallets"
                     *       ],
                     *       "format": "standard",
                     *       "status": "ENABLED",
                     *       "reason": "reason",
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "earlierSecretUntil": "2026-11-20T12:30:05.310Z",
                     *       "createdAt": "2026-11-20T12:30:05.310Z",
                     *       "updatedAt": "2026-11-20T12:30:05.310Z",
                     *       "secret": "secret"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How the receiver answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": true,
                     *       "status": 1,
                     *       "error": "error"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                status?: "PENDING" | "DELIVERED" | "DEAD";
                /** @description next of the page before. */
                cursor?: string;
                size?: number;
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "eventId": "eventId",
                     *           "type": "type",
                     *           "actionId": "actionId",
                     *           "status": "PENDING",
                     *           "attempts": 1,
                     *           "createdAt": "2026-11-20T12:30:05.310Z",
                     *           "nextAt": "2026-11-20T12:30:05.310Z",
                     *           "lastAt": "2026-11-20T12:30:05.310Z",
                     *           "lastStatus": 1,
                     *           "lastError": "lastError"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T12:30:05Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description They are on their way. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listContractSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptions": [
                     *         {
                     *           "id": "id",
                     *           "contractId": "contractId",
                     *           "ledgerId": "dev-ethereum",
                     *           "events": [
                     *             "events"
                     *           ],
                     *           "status": "ACTIVE",
                     *           "reason": "reason",
                     *           "blockHeight": 1,
                     *           "blocksBehind": 1,
                     *           "failingSince": "2026-11-20T12:30:05.310Z",
                     *           "lastError": "lastError",
                     *           "createdAt": "2026-11-20T12:30:05.310Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractSubscriptionList"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createContractSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contractId": "token",
                 *       "events": [
                 *         "Transfer"
                 *       ],
                 *       "fromBlock": 812
                 *     }
                 */
                "application/json": components["schemas"]["CreateContractSubscriptionBody"];
            };
        };
        responses: {
            /** @description The subscription. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "contractId": "contractId",
                     *       "ledgerId": "dev-ethereum",
                     *       "events": [
                     *         "events"
                     *       ],
                     *       "status": "ACTIVE",
                     *       "reason": "reason",
                     *       "blockHeight": 1,
                     *       "blocksBehind": 1,
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "lastError": "lastError",
                     *       "createdAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractSubscription"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getContractSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "contractId": "contractId",
                     *       "ledgerId": "dev-ethereum",
                     *       "events": [
                     *         "events"
                     *       ],
                     *       "status": "ACTIVE",
                     *       "reason": "reason",
                     *       "blockHeight": 1,
                     *       "blocksBehind": 1,
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "lastError": "lastError",
                     *       "createdAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractSubscription"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateContractSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "PAUSED"
                 *     }
                 */
                "application/json": components["schemas"]["ContractSubscriptionChange"];
            };
        };
        responses: {
            /** @description The subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "id",
                     *       "contractId": "contractId",
                     *       "ledgerId": "dev-ethereum",
                     *       "events": [
                     *         "events"
                     *       ],
                     *       "status": "ACTIVE",
                     *       "reason": "reason",
                     *       "blockHeight": 1,
                     *       "blocksBehind": 1,
                     *       "failingSince": "2026-11-20T12:30:05.310Z",
                     *       "lastError": "lastError",
                     *       "createdAt": "2026-11-20T12:30:05.310Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ContractSubscription"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteContractSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminListLateEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both; empty where nothing is late. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "id",
                     *           "projectId": "payments",
                     *           "host": "host",
                     *           "status": "ENABLED",
                     *           "reason": "reason",
                     *           "failingSince": "2026-11-20T12:30:05.310Z",
                     *           "pending": 1,
                     *           "oldestPendingAt": "2026-11-20T12:30:05.310Z",
                     *           "lastError": "lastError"
                     *         }
                     *       ],
                     *       "contractSubscriptions": [
                     *         {
                     *           "id": "id",
                     *           "projectId": "payments",
                     *           "contractId": "contractId",
                     *           "ledgerId": "dev-ethereum",
                     *           "status": "ACTIVE",
                     *           "reason": "reason",
                     *           "blockHeight": 1,
                     *           "lateSince": "2026-11-20T12:30:05.310Z",
                     *           "lastError": "lastError"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LateEvents"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExplorers: {
        parameters: {
            query?: {
                /** @description Id of the project; absent: that of the caller’s application. */
                project?: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, explorerID, name, projectId, ledgerID, nodeID, resourceId. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of explorers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ExplorerPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "explorerID": "explorerID",
                     *           "id": 1,
                     *           "implementations": [
                     *             {
                     *               "id": 1,
                     *               "properties": [
                     *                 {
                     *                   "id": 1,
                     *                   "type": {
                     *                     "id": 1,
                     *                     "name": "name",
                     *                     "scope": {
                     *                       "id": 1,
                     *                       "name": "name"
                     *                     }
                     *                   }
                     *                 }
                     *               ],
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name"
                     *               }
                     *             }
                     *           ],
                     *           "ledgerID": "dev-ethereum",
                     *           "name": "name",
                     *           "nodeID": "nodeID",
                     *           "resourceId": "resourceId",
                     *           "projectId": "payments"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExplorerPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createExplorer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "explorerID": "main-explorer",
                 *       "ledgerID": "main",
                 *       "name": "Explorer",
                 *       "implementations": [
                 *         {
                 *           "type": {
                 *             "name": "external-explorer"
                 *           },
                 *           "properties": [
                 *             {
                 *               "type": {
                 *                 "name": "transaction_url"
                 *               },
                 *               "value": "https://explorer.example/tx/{locator}"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateExplorerBody"];
            };
        };
        responses: {
            /** @description The explorer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerID": "explorerID",
                     *       "id": 1,
                     *       "implementations": [
                     *         {
                     *           "id": 1,
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "resourceId": "resourceId",
                     *       "projectId": "payments"
                     *     }
                     */
                    "application/json": components["schemas"]["Explorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explorer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerID": "explorerID",
                     *       "id": 1,
                     *       "implementations": [
                     *         {
                     *           "id": 1,
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "resourceId": "resourceId",
                     *       "projectId": "payments"
                     *     }
                     */
                    "application/json": components["schemas"]["Explorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Explorer"
                 *     }
                 */
                "application/json": components["schemas"]["ExplorerUpdate"];
            };
        };
        responses: {
            /** @description The explorer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerID": "explorerID",
                     *       "id": 1,
                     *       "implementations": [
                     *         {
                     *           "id": 1,
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "resourceId": "resourceId",
                     *       "projectId": "payments"
                     *     }
                     */
                    "application/json": components["schemas"]["Explorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the explorer. */
                explorerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDefaultExplorer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the ledger. */
                ledgerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explorer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "explorerID": "explorerID",
                     *       "id": 1,
                     *       "implementations": [
                     *         {
                     *           "id": 1,
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "nodeID": "nodeID",
                     *       "resourceId": "resourceId",
                     *       "projectId": "payments"
                     *     }
                     */
                    "application/json": components["schemas"]["Explorer"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPlugins: {
        parameters: {
            query: {
                /** @description Id of the project. */
                project: string;
                /** @description Only plugins that have all of them. */
                tags?: string[];
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, url, active, pluginType, implementationVersion, projectId, integrity, hasCredentials. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "PluginPagedResult",
                     *       "hasMore": true,
                     *       "nextPage": 0,
                     *       "previousPage": 0,
                     *       "pageContent": [
                     *         {
                     *           "active": true,
                     *           "id": "id",
                     *           "implementationVersion": "implementationVersion",
                     *           "name": "name",
                     *           "pluginType": "pluginType",
                     *           "projectId": "payments",
                     *           "tags": [
                     *             "tags"
                     *           ],
                     *           "url": "url",
                     *           "integrity": "integrity",
                     *           "hasCredentials": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PluginPagedResult"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPlugin: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ethereum",
                 *       "projectId": "dev-project",
                 *       "url": "npm:@ledger-ops/plugin-ethereum",
                 *       "tags": [
                 *         "ethereum"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePluginBody"];
            };
        };
        responses: {
            /** @description The plugin, active. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "implementationVersion": "0.1.0",
                     *       "name": "ethereum",
                     *       "pluginType": "BLOCKCHAIN_PLUGIN",
                     *       "projectId": "dev-project",
                     *       "tags": [
                     *         "ethereum"
                     *       ],
                     *       "url": "npm:@ledger-ops/plugin-ethereum",
                     *       "integrity": null,
                     *       "hasCredentials": false,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPluginSelection: {
        parameters: {
            query: {
                ledgerId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ledgerId": "dev-ethereum",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "chosen": {
                     *         "id": "id",
                     *         "canServe": true,
                     *         "fault": "fault"
                     *       },
                     *       "candidates": [
                     *         {
                     *           "id": "id",
                     *           "name": "name",
                     *           "builtIn": true,
                     *           "isChosen": true,
                     *           "reason": "reason"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PluginSelection"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": "id",
                     *       "implementationVersion": "implementationVersion",
                     *       "name": "name",
                     *       "pluginType": "pluginType",
                     *       "projectId": "payments",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "url": "url",
                     *       "integrity": "integrity",
                     *       "hasCredentials": true,
                     *       "health": {
                     *         "loaded": true,
                     *         "technology": "technology",
                     *         "version": "version",
                     *         "ledgers": [
                     *           "ledgers"
                     *         ],
                     *         "lastError": {
                     *           "at": "2026-11-20T12:30:05.310Z",
                     *           "detail": "detail"
                     *         },
                     *         "latency": 1,
                     *         "restarts": 1,
                     *         "isolation": "isolated"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PluginWithHealth"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updatePlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "active": true,
                 *       "name": "ethereum",
                 *       "url": "npm:@ledger-ops/plugin-ethereum"
                 *     }
                 */
                "application/json": components["schemas"]["PluginUpdate"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "implementationVersion": "0.1.0",
                     *       "name": "ethereum",
                     *       "pluginType": "BLOCKCHAIN_PLUGIN",
                     *       "projectId": "dev-project",
                     *       "tags": [
                     *         "ethereum"
                     *       ],
                     *       "url": "npm:@ledger-ops/plugin-ethereum",
                     *       "integrity": null,
                     *       "hasCredentials": false,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addPluginTags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "ethereum"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PluginTags"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "implementationVersion": "0.1.0",
                     *       "name": "ethereum",
                     *       "pluginType": "BLOCKCHAIN_PLUGIN",
                     *       "projectId": "dev-project",
                     *       "tags": [
                     *         "ethereum"
                     *       ],
                     *       "url": "npm:@ledger-ops/plugin-ethereum",
                     *       "integrity": null,
                     *       "hasCredentials": false
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removePluginTags: {
        parameters: {
            query?: {
                tags?: string[];
            };
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "ethereum"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PluginTags"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "implementationVersion": "0.1.0",
                     *       "name": "ethereum",
                     *       "pluginType": "BLOCKCHAIN_PLUGIN",
                     *       "projectId": "dev-project",
                     *       "tags": [
                     *         "ethereum"
                     *       ],
                     *       "url": "npm:@ledger-ops/plugin-ethereum",
                     *       "integrity": null,
                     *       "hasCredentials": false
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyListPlugins: {
        parameters: {
            query: {
                /** @description Id of the project. */
                project: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, name, pluginId, pluginURL, project, resourceId. */
                sort?: string[];
                /** @description Only plugins that have all of them. */
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "PluginPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "id": 1,
                     *           "name": "name",
                     *           "pluginId": "pluginId",
                     *           "pluginURL": "pluginURL",
                     *           "project": "project",
                     *           "resourceId": "resourceId",
                     *           "tags": [
                     *             {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyCreatePlugin: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ethereum",
                 *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                 *       "project": "dev-project",
                 *       "tags": [
                 *         {
                 *           "name": "ethereum"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateLegacyPluginBody"];
            };
        };
        responses: {
            /** @description The plugin, active. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ethereum",
                     *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                     *       "project": "dev-project",
                     *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyGetPlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ethereum",
                     *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                     *       "project": "dev-project",
                     *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyUpdatePlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ethereum",
                 *       "pluginURL": "npm:@ledger-ops/plugin-ethereum"
                 *     }
                 */
                "application/json": components["schemas"]["LegacyPluginUpdate"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ethereum",
                     *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                     *       "project": "dev-project",
                     *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyDeletePlugin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyAddPluginTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plugin. */
                pluginId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ethereum"
                 *     }
                 */
                "application/json": components["schemas"]["CreateLegacyPluginTagBody"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ethereum",
                     *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                     *       "project": "dev-project",
                     *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyListPluginTags: {
        parameters: {
            query: {
                /** @description Id of the plugin. */
                plugin: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tags, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "name"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LegacyPluginTag"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    legacyRemovePluginTag: {
        parameters: {
            query: {
                pluginId: string;
                tagName: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ethereum",
                     *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "pluginURL": "npm:@ledger-ops/plugin-ethereum",
                     *       "project": "dev-project",
                     *       "resourceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                     *       "tags": [
                     *         {
                     *           "id": 1,
                     *           "name": "ethereum"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LegacyPlugin"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTechnologies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The technologies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "technologies": [
                     *         {
                     *           "name": "name",
                     *           "title": "title",
                     *           "namespace": "namespace",
                     *           "unit": {
                     *             "symbol": "symbol",
                     *             "decimals": 1
                     *           },
                     *           "addresses": {
                     *             "account": {
                     *               "pattern": "pattern",
                     *               "example": "example"
                     *             },
                     *             "contract": {
                     *               "pattern": "pattern",
                     *               "example": "example"
                     *             }
                     *           },
                     *           "content": {
                     *             "schema": {},
                     *             "version": "version",
                     *             "currentVersion": "currentVersion",
                     *             "overrides": {}
                     *           },
                     *           "ledgerProperties": {},
                     *           "nodeProperties": {},
                     *           "walletParameters": {},
                     *           "templates": {
                     *             "code": {},
                     *             "package": true,
                     *             "languages": [
                     *               "languages"
                     *             ]
                     *           },
                     *           "plugins": [
                     *             {
                     *               "id": "id",
                     *               "version": "version",
                     *               "keyType": "secp256k1",
                     *               "capabilities": {}
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "ledgerProperties": {}
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerTechnologyDescriptions"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gatewaySendAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "walletId": "alice",
                 *       "walletPassword": "correct horse battery staple",
                 *       "glo": {
                 *         "type": "contract_call",
                 *         "params": {
                 *           "contractInstance": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                 *           "methodName": "transfer(address,uint256)",
                 *           "args": [
                 *             "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *             "1"
                 *           ]
                 *         }
                 *       },
                 *       "dependencies": [],
                 *       "intent": "7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10",
                 *       "tag": null,
                 *       "context": null,
                 *       "serviceSession": ""
                 *     }
                 */
                "application/json": components["schemas"]["GatewayActionBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "state": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["OlderActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gatewaySendPluginAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet": "alice",
                 *       "walletId": "alice",
                 *       "pluginSecrets": {
                 *         "walletPassword": "correct horse battery staple"
                 *       },
                 *       "ledger": "ethereum",
                 *       "ledgerId": "dev-ethereum",
                 *       "pluginId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14",
                 *       "glo": {
                 *         "type": "contract_call",
                 *         "params": {
                 *           "contractInstance": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                 *           "methodName": "transfer(address,uint256)",
                 *           "args": [
                 *             "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *             "1"
                 *           ]
                 *         }
                 *       },
                 *       "dependencies": [],
                 *       "intent": null,
                 *       "tag": null
                 *     }
                 */
                "application/json": components["schemas"]["GatewayPluginActionBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "state": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["OlderActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gatewayEmulate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "instanceId": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12",
                 *       "methodName": "totalSupply",
                 *       "args": []
                 *     }
                 */
                "application/json": components["schemas"]["GatewayEmulationBody"];
            };
        };
        responses: {
            /** @description The value. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "result": "\"1000000\""
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayEmulated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gatewaySearchTransaction: {
        parameters: {
            query: {
                ledgerId: string;
                /** @description The transaction’s id on the ledger. */
                locator: string;
                /** @description Whether the ledger’s receipt is wanted. */
                withReceipt: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "locator": "0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706",
                     *       "smartContractAddress": "smartContractAddress",
                     *       "status": "PENDING",
                     *       "blockTime": "2026-11-20T12:30:05.310Z",
                     *       "fee": "fee",
                     *       "reason": "reason"
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayTransaction"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSmartContracts: {
        parameters: {
            query: {
                /** @description Id of the project. */
                project: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, contractInstanceID, name, ledgerID, resourceId, compilationDetails, compileVersion. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of contracts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "SmartContractPage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "compilationDetails": "compilationDetails",
                     *           "compileVersion": "compileVersion",
                     *           "contractInstanceID": "contractInstanceID",
                     *           "contractSpecification": {
                     *             "checksum": "checksum",
                     *             "compilationLanguage": "compilationLanguage",
                     *             "compilationSpecification": "compilationSpecification",
                     *             "compilationStatus": "COMPILED",
                     *             "contractTemplate": {
                     *               "contractTemplateID": "contractTemplateID",
                     *               "description": "description",
                     *               "id": 1,
                     *               "name": "name",
                     *               "resourceId": "resourceId"
                     *             },
                     *             "dateCreated": 1795177805310,
                     *             "dateUpdated": 1795177805310,
                     *             "description": "description",
                     *             "hasPreprocessing": true,
                     *             "id": 1,
                     *             "ledgerTechnology": {
                     *               "id": 1,
                     *               "ledgerTechnologyID": "ledgerTechnologyID"
                     *             },
                     *             "preCompilationSpecification": "preCompilationSpecification",
                     *             "tag": "tag",
                     *             "targetCompilationVersion": "targetCompilationVersion",
                     *             "compilationMessages": [
                     *               {
                     *                 "severity": "error",
                     *                 "message": "message",
                     *                 "file": "file",
                     *                 "line": 1,
                     *                 "column": 1
                     *               }
                     *             ]
                     *           },
                     *           "id": 1,
                     *           "ledgerID": "dev-ethereum",
                     *           "name": "name",
                     *           "properties": [
                     *             {
                     *               "id": 1,
                     *               "type": {
                     *                 "id": 1,
                     *                 "name": "name",
                     *                 "scope": {
                     *                   "id": 1,
                     *                   "name": "name"
                     *                 }
                     *               }
                     *             }
                     *           ],
                     *           "resourceId": "resourceId",
                     *           "types": [
                     *             {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SmartContractPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerSmartContract: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ledgerID": "dev-ethereum",
                 *       "name": "Token",
                 *       "contractSpecification": {
                 *         "tag": "1",
                 *         "contractTemplate": {
                 *           "contractTemplateID": "dev-token"
                 *         }
                 *       },
                 *       "properties": [
                 *         {
                 *           "type": {
                 *             "name": "address"
                 *           },
                 *           "value": "0x5FbDB2315678afecb367f032d93F642f64180aa3"
                 *         }
                 *       ],
                 *       "types": [
                 *         {
                 *           "name": "ERC20"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateOldContractBody"];
            };
        };
        responses: {
            /** @description The contract. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "compilationDetails": "compilationDetails",
                     *       "compileVersion": "compileVersion",
                     *       "contractInstanceID": "contractInstanceID",
                     *       "contractSpecification": {
                     *         "checksum": "checksum",
                     *         "compilationLanguage": "compilationLanguage",
                     *         "compilationSpecification": "compilationSpecification",
                     *         "compilationStatus": "COMPILED",
                     *         "contractTemplate": {
                     *           "contractTemplateID": "contractTemplateID",
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "resourceId": "resourceId"
                     *         },
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "description": "description",
                     *         "hasPreprocessing": true,
                     *         "id": 1,
                     *         "ledgerTechnology": {
                     *           "id": 1,
                     *           "ledgerTechnologyID": "ledgerTechnologyID"
                     *         },
                     *         "preCompilationSpecification": "preCompilationSpecification",
                     *         "tag": "tag",
                     *         "targetCompilationVersion": "targetCompilationVersion",
                     *         "compilationMessages": [
                     *           {
                     *             "severity": "error",
                     *             "message": "message",
                     *             "file": "file",
                     *             "line": 1,
                     *             "column": 1
                     *           }
                     *         ]
                     *       },
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "types": [
                     *         {
                     *           "id": 1,
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OldContract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSmartContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "compilationDetails": "compilationDetails",
                     *       "compileVersion": "compileVersion",
                     *       "contractInstanceID": "contractInstanceID",
                     *       "contractSpecification": {
                     *         "checksum": "checksum",
                     *         "compilationLanguage": "compilationLanguage",
                     *         "compilationSpecification": "compilationSpecification",
                     *         "compilationStatus": "COMPILED",
                     *         "contractTemplate": {
                     *           "contractTemplateID": "contractTemplateID",
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "resourceId": "resourceId"
                     *         },
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "description": "description",
                     *         "hasPreprocessing": true,
                     *         "id": 1,
                     *         "ledgerTechnology": {
                     *           "id": 1,
                     *           "ledgerTechnologyID": "ledgerTechnologyID"
                     *         },
                     *         "preCompilationSpecification": "preCompilationSpecification",
                     *         "tag": "tag",
                     *         "targetCompilationVersion": "targetCompilationVersion",
                     *         "compilationMessages": [
                     *           {
                     *             "severity": "error",
                     *             "message": "message",
                     *             "file": "file",
                     *             "line": 1,
                     *             "column": 1
                     *           }
                     *         ]
                     *       },
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "types": [
                     *         {
                     *           "id": 1,
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OldContract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateSmartContractProperties: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contract. */
                smartContractId: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "properties": [
                 *         {
                 *           "type": {
                 *             "name": "decimals"
                 *           },
                 *           "value": 18
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OldContractProperties"];
            };
        };
        responses: {
            /** @description The contract. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "compilationDetails": "compilationDetails",
                     *       "compileVersion": "compileVersion",
                     *       "contractInstanceID": "contractInstanceID",
                     *       "contractSpecification": {
                     *         "checksum": "checksum",
                     *         "compilationLanguage": "compilationLanguage",
                     *         "compilationSpecification": "compilationSpecification",
                     *         "compilationStatus": "COMPILED",
                     *         "contractTemplate": {
                     *           "contractTemplateID": "contractTemplateID",
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "resourceId": "resourceId"
                     *         },
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "description": "description",
                     *         "hasPreprocessing": true,
                     *         "id": 1,
                     *         "ledgerTechnology": {
                     *           "id": 1,
                     *           "ledgerTechnologyID": "ledgerTechnologyID"
                     *         },
                     *         "preCompilationSpecification": "preCompilationSpecification",
                     *         "tag": "tag",
                     *         "targetCompilationVersion": "targetCompilationVersion",
                     *         "compilationMessages": [
                     *           {
                     *             "severity": "error",
                     *             "message": "message",
                     *             "file": "file",
                     *             "line": 1,
                     *             "column": 1
                     *           }
                     *         ]
                     *       },
                     *       "id": 1,
                     *       "ledgerID": "dev-ethereum",
                     *       "name": "name",
                     *       "properties": [
                     *         {
                     *           "id": 1,
                     *           "type": {
                     *             "id": 1,
                     *             "name": "name",
                     *             "scope": {
                     *               "id": 1,
                     *               "name": "name"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "resourceId": "resourceId",
                     *       "types": [
                     *         {
                     *           "id": 1,
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OldContract"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My Token",
                 *       "ticker": "MINE",
                 *       "contractInstance": {
                 *         "contractInstanceID": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateOldTokenBody"];
            };
        };
        responses: {
            /** @description The token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractInstance": {
                     *         "compilationDetails": "compilationDetails",
                     *         "compileVersion": "compileVersion",
                     *         "contractInstanceID": "contractInstanceID",
                     *         "contractSpecification": {
                     *           "checksum": "checksum",
                     *           "compilationLanguage": "compilationLanguage",
                     *           "compilationSpecification": "compilationSpecification",
                     *           "compilationStatus": "COMPILED",
                     *           "contractTemplate": {
                     *             "contractTemplateID": "contractTemplateID",
                     *             "description": "description",
                     *             "id": 1,
                     *             "name": "name",
                     *             "resourceId": "resourceId"
                     *           },
                     *           "dateCreated": 1795177805310,
                     *           "dateUpdated": 1795177805310,
                     *           "description": "description",
                     *           "hasPreprocessing": true,
                     *           "id": 1,
                     *           "ledgerTechnology": {
                     *             "id": 1,
                     *             "ledgerTechnologyID": "ledgerTechnologyID"
                     *           },
                     *           "preCompilationSpecification": "preCompilationSpecification",
                     *           "tag": "tag",
                     *           "targetCompilationVersion": "targetCompilationVersion",
                     *           "compilationMessages": [
                     *             {
                     *               "severity": "error",
                     *               "message": "message",
                     *               "file": "file",
                     *               "line": 1,
                     *               "column": 1
                     *             }
                     *           ]
                     *         },
                     *         "id": 1,
                     *         "ledgerID": "dev-ethereum",
                     *         "name": "name",
                     *         "properties": [
                     *           {
                     *             "id": 1,
                     *             "type": {
                     *               "id": 1,
                     *               "name": "name",
                     *               "scope": {
                     *                 "id": 1,
                     *                 "name": "name"
                     *               }
                     *             }
                     *           }
                     *         ],
                     *         "resourceId": "resourceId",
                     *         "types": [
                     *           {
                     *             "id": 1,
                     *             "name": "name"
                     *           }
                     *         ]
                     *       },
                     *       "id": 1,
                     *       "name": "name",
                     *       "resourceId": "resourceId",
                     *       "ticker": "ticker",
                     *       "tokenID": "tokenID"
                     *     }
                     */
                    "application/json": components["schemas"]["OldToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query: {
                /** @description Id of the project. */
                project: string;
                /** @description Exactly this record; empty: all. */
                resourceId?: string;
                /** @description Zero-based page number. */
                page?: number;
                /** @description Items per page. */
                size?: number;
                /** @description Sort keys, each optionally followed by asc or desc: id, contractTemplateID, name, description, resourceId, createdAt. */
                sort?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "ContractTemplatePage",
                     *       "pageElements": 1,
                     *       "pageNumber": 0,
                     *       "totalElements": 1,
                     *       "totalPages": 1,
                     *       "pageContent": [
                     *         {
                     *           "contractTemplateID": "contractTemplateID",
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "resourceId": "resourceId"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ContractTemplatePage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes (1 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contractTemplateID": "dev-token",
                 *       "name": "Token",
                 *       "description": "A small token"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOldContractTemplateBody"];
            };
        };
        responses: {
            /** @description The template. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contractTemplateID": "contractTemplateID",
                     *       "description": "description",
                     *       "id": 1,
                     *       "name": "name",
                     *       "resourceId": "resourceId"
                     *     }
                     */
                    "application/json": components["schemas"]["OldContractTemplate"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSpecifications: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "checksum": "checksum",
                     *         "compilationLanguage": "compilationLanguage",
                     *         "compilationSpecification": "compilationSpecification",
                     *         "compilationStatus": "COMPILED",
                     *         "contractTemplate": {
                     *           "contractTemplateID": "contractTemplateID",
                     *           "description": "description",
                     *           "id": 1,
                     *           "name": "name",
                     *           "resourceId": "resourceId"
                     *         },
                     *         "dateCreated": 1795177805310,
                     *         "dateUpdated": 1795177805310,
                     *         "description": "description",
                     *         "hasPreprocessing": true,
                     *         "id": 1,
                     *         "ledgerTechnology": {
                     *           "id": 1,
                     *           "ledgerTechnologyID": "ledgerTechnologyID"
                     *         },
                     *         "preCompilationSpecification": "preCompilationSpecification",
                     *         "tag": "tag",
                     *         "targetCompilationVersion": "targetCompilationVersion",
                     *         "compilationMessages": [
                     *           {
                     *             "severity": "error",
                     *             "message": "message",
                     *             "file": "file",
                     *             "line": 1,
                     *             "column": 1
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["OldContractSpecification"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSpecification: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the template. */
                templateId: string;
            };
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tag": "1",
                 *       "compilationLanguage": "Solidity",
                 *       "preCompilationSpecification": "pragma solidity ^0.8.26; contract Answer { uint256 public constant value = 42; }"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOldContractSpecificationBody"];
            };
        };
        responses: {
            /** @description The version. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checksum": "checksum",
                     *       "compilationLanguage": "compilationLanguage",
                     *       "compilationSpecification": "compilationSpecification",
                     *       "compilationStatus": "COMPILED",
                     *       "contractTemplate": {
                     *         "contractTemplateID": "contractTemplateID",
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "resourceId": "resourceId"
                     *       },
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "description": "description",
                     *       "hasPreprocessing": true,
                     *       "id": 1,
                     *       "ledgerTechnology": {
                     *         "id": 1,
                     *         "ledgerTechnologyID": "ledgerTechnologyID"
                     *       },
                     *       "preCompilationSpecification": "preCompilationSpecification",
                     *       "tag": "tag",
                     *       "targetCompilationVersion": "targetCompilationVersion",
                     *       "compilationMessages": [
                     *         {
                     *           "severity": "error",
                     *           "message": "message",
                     *           "file": "file",
                     *           "line": 1,
                     *           "column": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OldContractSpecification"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSpecification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                templateId: string;
                /** @description Tag of the version. */
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checksum": "checksum",
                     *       "compilationLanguage": "compilationLanguage",
                     *       "compilationSpecification": "compilationSpecification",
                     *       "compilationStatus": "COMPILED",
                     *       "contractTemplate": {
                     *         "contractTemplateID": "contractTemplateID",
                     *         "description": "description",
                     *         "id": 1,
                     *         "name": "name",
                     *         "resourceId": "resourceId"
                     *       },
                     *       "dateCreated": 1795177805310,
                     *       "dateUpdated": 1795177805310,
                     *       "description": "description",
                     *       "hasPreprocessing": true,
                     *       "id": 1,
                     *       "ledgerTechnology": {
                     *         "id": 1,
                     *         "ledgerTechnologyID": "ledgerTechnologyID"
                     *       },
                     *       "preCompilationSpecification": "preCompilationSpecification",
                     *       "tag": "tag",
                     *       "targetCompilationVersion": "targetCompilationVersion",
                     *       "compilationMessages": [
                     *         {
                     *           "severity": "error",
                     *           "message": "message",
                     *           "file": "file",
                     *           "line": 1,
                     *           "column": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OldContractSpecification"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listActivitiesOfResource: {
        parameters: {
            query?: {
                /** @description Only what happened then or later. */
                from?: string;
            };
            header?: never;
            path: {
                /** @description Its resourceID or resourceUUID. */
                resourceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened, oldest first; at most 10,000 records: ask again from the last date. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "action": "action",
                     *         "datePerformed": "2026-11-20T12:30:05.310Z",
                     *         "dateRegistered": "2026-11-20T12:30:05.310Z",
                     *         "identity": "identity",
                     *         "appID": "shop",
                     *         "projectID": "payments",
                     *         "pubsubMessageID": "pubsubMessageID",
                     *         "resourceID": "resourceID",
                     *         "resourceType": "resourceType",
                     *         "service": "service",
                     *         "targetObject": "targetObject"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TimelineRecord"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listActivitiesOfAction: {
        parameters: {
            query: {
                /** @description Only what happened then or later. */
                from: string;
            };
            header?: never;
            path: {
                /** @description Name of the service, such as `ledger-nodes`. */
                service: string;
                /** @description What was done, such as `create`. */
                action: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened, oldest first; at most 10,000 records: ask again from the last date. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "action": "action",
                     *         "datePerformed": "2026-11-20T12:30:05.310Z",
                     *         "dateRegistered": "2026-11-20T12:30:05.310Z",
                     *         "identity": "identity",
                     *         "appID": "shop",
                     *         "projectID": "payments",
                     *         "pubsubMessageID": "pubsubMessageID",
                     *         "resourceID": "resourceID",
                     *         "resourceType": "resourceType",
                     *         "service": "service",
                     *         "targetObject": "targetObject"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TimelineRecord"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listActivitiesOfType: {
        parameters: {
            query: {
                /** @description Only what happened then or later. */
                from: string;
            };
            header?: never;
            path: {
                /** @description Resource type, or `identity`. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened, oldest first; at most 10,000 records: ask again from the last date. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "action": "action",
                     *         "datePerformed": "2026-11-20T12:30:05.310Z",
                     *         "dateRegistered": "2026-11-20T12:30:05.310Z",
                     *         "identity": "identity",
                     *         "appID": "shop",
                     *         "projectID": "payments",
                     *         "pubsubMessageID": "pubsubMessageID",
                     *         "resourceID": "resourceID",
                     *         "resourceType": "resourceType",
                     *         "service": "service",
                     *         "targetObject": "targetObject"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TimelineRecord"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events `activity`, each with a TimelineRecord as data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: action
                     *     data: {"actionId":"019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11","status":"SUCCEEDED"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deploySmartContract: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body answers the first response again to the same caller, for 24 hours; with another body 422. Passwords and secrets in the body are not compared, and are not looked at again: such an answer needs no wallet password. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 10485760 bytes (10 MB). */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "templateId": "dev-token",
                 *       "tag": "1",
                 *       "args": [
                 *         "My Token",
                 *         "MINE",
                 *         "1000000"
                 *       ],
                 *       "ledgerId": "dev-ethereum",
                 *       "id": "my-token",
                 *       "name": "My Token",
                 *       "walletId": "alice",
                 *       "walletPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["DeploymentBody"];
            };
        };
        responses: {
            /** @description Accepted; it survives a crash and happens once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11",
                     *       "state": "PENDING"
                     *     }
                     */
                    "application/json": components["schemas"]["OlderActionCreated"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    liveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It lives. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "reasons": [
                     *         "reasons"
                     *       ],
                     *       "warnings": [
                     *         "warnings"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ledgerHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What there is to say. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ledgers": [
                     *         {
                     *           "uid": "uid",
                     *           "ledgerId": "dev-ethereum",
                     *           "reasons": [
                     *             "reasons"
                     *           ],
                     *           "warnings": [
                     *             "warnings"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerHealth"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description What If-None-Match names is still it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    referencePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The first page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                };
            };
            /** @description What If-None-Match names is still it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    referencePart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page or file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><html lang="en">…</html> */
                    "text/html": string;
                    /** @example text */
                    "text/css": string;
                    /** @example text */
                    "text/javascript": string;
                    /** @example <svg xmlns="http://www.w3.org/2000/svg"/> */
                    "image/svg+xml": string;
                };
            };
            /** @description What If-None-Match names is still it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    receiveEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The event’s id. */
                "webhook-id": string;
                /** @description When this request was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots; two of them, with a space between, while two secrets sign. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ActionEvent"] | components["schemas"]["ContractEvent"] | components["schemas"]["WebhookTestEvent"];
                "application/cloudevents+json": components["schemas"]["ActionCloudEvent"] | components["schemas"]["ContractCloudEvent"] | components["schemas"]["WebhookTestCloudEvent"];
            };
        };
        responses: {
            /** @description Taken. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No more: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
