/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the classes can do. */

%define COMMON
	%pythoncode %{
    __repr__ = _objects.Common.__repr__
    __eq__ = _objects.Common.__eq__
    __hash__ = _objects.Common.__hash__
    __getitem__ = _objects.Common.__getitem__
    __iter__ = __contains__ = None  # of its properties, or of what is below it?
    __copy__ = _objects.Common.__copy__
    __reduce_ex__ = _objects.Common.__reduce_ex__
    keys = _objects.Common.keys
    to_dict = _objects.Common.to_dict
    to_json = _objects.Common.to_json
	%}
%enddef

%define CONTEXT
	COMMON
	%pythoncode %{
    __enter__ = _Context.__enter__
    __exit__ = _Context.__exit__
	%}
%enddef

%extend root {
	CONTEXT
	%feature("pythonprepend") root "config_file = _objects.path(config_file)"
	%feature("docstring") root "root(config_file=None)

Scan the kernel's NVMe objects, then read config_file, a str or a path, if one is given. Threads may
share a root: each waits while a call of another one is under way. A root for each waits for nobody.";
	root(const char *config_file = NULL) { return py_root_create(config_file); }
	~root() { py_root_free($self); }

	%feature("docstring") refresh_topology
		"Scan anew. Objects of the tree as it was raise ReferenceError from now on.";
	void refresh_topology() { root_refresh($self); }

	%feature("docstring") update_config
		"Write the configuration back to its file.

Raises Error with errno ESTALE where another program has changed the file since it was read: make
another root from it and repeat the change.";
	void update_config() { root_write_config($self); }

	%feature("docstring") dump_config "Print the configuration as JSON.";
	void dump_config()
	{
		nvme_root_t r = py_root_handle($self);

		if (r && nvme_dump_config(r))
			raise_error(errno, NULL);
	}

	%pythoncode %{
    def controllers(self):
        """Yield every controller of all hosts and subsystems."""
        for host in self.hosts():
            for subsystem in host.subsystems():
                yield from subsystem.controllers()

    def controller(self, name):
        """Return the controller of that name, such as "nvme0"; LookupError if there is none."""
        return _fabrics.controller(self, name)

    def log_level(self, level):
        """Set what is logged: debug, info, notice, warning, err, crit, alert or emerg.

        Messages are records of the logger "libnvme"; notice is INFO there, and crit, alert and emerg
        are CRITICAL.
        """
        if not isinstance(level, str):
            raise TypeError(f"log_level: argument 'level' must be str, not {type(level).__name__}")
        _set_log_level(self, _LOG_LEVELS.get(level, _LOG_LEVELS["notice"]))

    def hosts(self):
        """Yield every host."""
        return _each(nvme_first_host, nvme_next_host, self)
	%}
}

%rename(_log_to) py_log_to;
PyObject *py_log_to(PyObject *log);
%pythoncode %{
def _log(level, text, *args):
    import logging  # which few programs need that have no message

    logging.getLogger("libnvme").log(level, text, *args, stacklevel=2)


# Logging ends before the interpreter does.
_log_to(_log)
_atexit.register(_log_to, None)
%}

%rename(_set_log_level) set_log_level;
%inline %{
static void set_log_level(struct root *root, int level)
{
	nvme_init_logging(root->handle, level, false, false);
}
%}
%pythoncode %{
_LOG_LEVELS = {
    name: level
    for level, name in enumerate(
        ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
    )
}
%}

%extend host {
	CONTEXT
	%feature("docstring") host "host(r, hostnqn=None, hostid=None, hostkey=None, hostsymname=None)

The host of that name in the tree, new if need be; without hostnqn the machine's own.";
	host(struct root *r, const char *hostnqn = NULL, const char *hostid = NULL,
	     const char *hostkey = NULL, const char *hostsymname = NULL)
	{
		return py_host_create(r, hostnqn, hostid, hostkey, hostsymname);
	}
	~host() { py_host_free($self); }

	%feature("docstring") set_symname "Set the symbolic name that discovery controllers are told.";
	void set_symname(const char *hostsymname)
	{
		nvme_host_t h = py_host_handle($self);

		if (h)
			nvme_host_set_hostsymname(h, hostsymname);
	}

	%pythoncode %{
    def subsystems(self):
        """Yield every subsystem that this host knows."""
        return _each(nvme_first_subsystem, nvme_next_subsystem, self)

    def __str__(self):
        return f"nvme.host({self.hostnqn},{self.hostid})"
	%}
}

%extend subsystem {
	CONTEXT
	%feature("docstring") subsystem "subsystem(host, subsysnqn, name=None)

The subsystem of that name under the host, new if need be.";
	subsystem(struct host *host, const char *subsysnqn, const char *name = NULL)
	{
		return py_subsystem_create(host, subsysnqn, name);
	}
	~subsystem() { py_subsystem_free($self); }

	%pythoncode %{
    def controllers(self):
        """Yield every controller of the subsystem."""
        return _each(nvme_subsystem_first_ctrl, nvme_subsystem_next_ctrl, self)

    def namespaces(self):
        """Yield every namespace of the subsystem."""
        return _each(nvme_subsystem_first_ns, nvme_subsystem_next_ns, self)

    def __str__(self):
        return f"nvme.subsystem({self.name},{self.subsysnqn})"
	%}
}

%rename(_discovery_log) ctrl::discovery_log;
%rename(_register) ctrl::register_with;
%rename(_attribute) ctrl::sysfs;
%rename(_options) ctrl::config;
%rename(_silent) ctrl::silent;
%rename(_connect) ctrl::connect_as;
%rename(_supported_log_pages) ctrl::log_pages;

%extend ctrl {
	COMMON
	%feature("pythonprepend") ctrl %{
traddr = _objects.address(traddr)
host_traddr = _objects.address(host_traddr)
trsvcid = _objects.number_text(trsvcid)
	%}
	%feature("docstring") ctrl "ctrl(r, subsysnqn, transport, traddr=None, host_traddr=None, host_iface=None, trsvcid=None)

A controller to connect; nothing is written to the kernel before connect(). Addresses may be objects
of the module ipaddress, and trsvcid a number.";
	ctrl(struct root *r, const char *subsysnqn, const char *transport, const char *traddr = NULL,
	     const char *host_traddr = NULL, const char *host_iface = NULL,
	     const char *trsvcid = NULL)
	{
		return py_ctrl_create(r, subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid);
	}
	~ctrl() { py_ctrl_free($self); }

	%feature("docstring") init "init(h, instance) -> bool

Attach to the existing controller nvme<instance>.";
	bool init(struct host *h, int instance)
	{
		nvme_host_t host = py_host_handle(h);
		nvme_ctrl_t c = host ? py_ctrl_handle($self) : NULL;

		if (!c)
			return false;
		if (h->tree != $self->tree) {
			PyErr_SetString(PyExc_ValueError,
					"host and ctrl belong to different roots");
			return false;
		}
		ctrl_end_leaves($self->tree, c);
		if (nvme_init_ctrl(host, c, instance))
			return false;
		$self->detached = false;
		$self->generation = $self->tree->generation;
		return true;
	}

	void connect_as(struct host *h, PyObject *cfg) { fabrics_connect($self, h, cfg); }

	%feature("docstring") connected "Is there a controller in the kernel for this object?";
	bool connected()
	{
		nvme_ctrl_t c = py_ctrl_handle($self);

		return c && nvme_ctrl_get_name(c);
	}

	%feature("docstring") disconnect "Remove the controller from the kernel.";
	void disconnect() { fabrics_disconnect($self); }

	%feature("docstring") rescan "Read the controller's attributes and namespaces anew.";
	void rescan()
	{
		nvme_ctrl_t c = py_ctrl_handle($self);

		if (c)
			nvme_rescan_ctrl(c);
	}

	%feature("docstring") reset "Reset the controller, and wait until it has come up again.";
	void reset() { fabrics_reset($self); }

	%pythoncode %{
    def rekey(self, key, ctrl_key=None):
        """Replace the DH-HMAC-CHAP secrets of a connected controller without disconnecting it.

        key is the host's secret, ctrl_key the controller's; None keeps one. The kernel starts to
        authenticate again with them. Error is raised if it refuses a secret, or if the controller
        was connected without one; then both are as they were.
        """
        _fabrics.rekey(self, key, ctrl_key)
	%}

	PyObject *sysfs(const char *name) { return ctrl_attribute($self, name); }
	PyObject *config() { return fabrics_options($self); }

	PyObject *silent(PyObject *cfg, unsigned int timeout_ms)
	{
		return fabrics_silent($self, cfg, timeout_ms);
	}

	PyObject *discovery_log(int lsp, int max_retries, unsigned int timeout_ms)
	{
		return fabrics_discovery_log($self, lsp, max_retries, timeout_ms);
	}

	%feature("docstring") is_registration_supported
		"Does this discovery controller take explicit registrations?";
	bool is_registration_supported()
	{
		nvme_ctrl_t c = py_ctrl_handle($self);
		bool supported = false;

		if (!c)
			return false;
		BEGIN_BLOCKING($self->tree);
		supported = nvmf_is_registration_supported(c);
		END_BLOCKING($self->tree);
		return supported;
	}


	PyObject *register_with(int tas) { return fabrics_register($self, tas); }

	PyObject *log_pages(bool rae) { return fabrics_log_pages($self, rae); }

	%pythoncode %{
    def connect(self, h, cfg=None, timeout=None):
        """Connect as host h. cfg is a dict of connect options, or None for the defaults.

        After timeout seconds, if there is one, Error is raised with errno ETIMEDOUT. A portal that
        does not answer is never left to the kernel then. Where the kernel is at work already, it is
        not to be stopped: what it connects is disconnected at once, and until then this root is
        refused to everybody with EBUSY.
        """
        _fabrics.connect(self, h, _objects.options(cfg), timeout)

    def options(self):
        """The options of this controller: a dict as connect() takes it.

        As the kernel has them now, where it tells; so reconnecting keeps what was changed since.
        The rest, such as digests and queues for writing and polling, the kernel does not tell: it
        is known of controllers that were connected by this root or are in its configuration file.
        Secrets are not among them, see dhchap_key and dhchap_host_key; tls_key is the serial number
        of a key in the keyring. What is not there has its default. Without a connection: what it is
        to be connected with.
        """
        return _fabrics.options(self)

    def discover(self, lsp=0, max_retries=6, timeout=None):
        """Read the discovery log: a list of dicts, one per entry.

        Each request may take timeout seconds; None: as long as the kernel waits for requests.
        """
        return _fabrics.discover(self, lsp, max_retries, timeout)

    def registration_ctlr(self, tas):
        """Register or deregister with a discovery controller: None, or what went wrong."""
        return self._register(tas)

    def supported_log_pages(self, rae=True):
        """What the controller supports of each of the 256 log pages: a list, or None."""
        return self._supported_log_pages(rae)

    def namespaces(self):
        """Yield every namespace that belongs to this controller alone."""
        return _each(nvme_ctrl_first_ns, nvme_ctrl_next_ns, self)

    def paths(self):
        """Yield the path to each shared namespace that this controller serves."""
        return _each(nvme_ctrl_first_path, nvme_ctrl_next_path, self)

    def discovery_ctrl_set(self, discovery):
        """Deprecated: assign to discovery_ctrl."""
        _deprecated("discovery_ctrl_set()", "discovery_ctrl")
        self.discovery_ctrl = discovery

    def persistent_set(self, persistent):
        """Deprecated: assign to persistent."""
        _deprecated("persistent_set()", "persistent")
        self.persistent = persistent

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.connected():
            self.disconnect()

    port = property(lambda self: _objects.number(self.trsvcid), doc="trsvcid as a number.")
    queues = property(lambda self: _objects.number(self.queue_count), doc="queue_count as a number.")
    queue_size = property(
        lambda self: _objects.number(self.sqsize, 1), doc="How many entries each I/O queue has."
    )
    controller_id = property(lambda self: _objects.number(self.cntlid), doc="cntlid as a number.")
    node = property(
        lambda self: _objects.node(self.numa_node), doc="Its NUMA node as a number; None without one."
    )

    def __str__(self):
        address = f",{self.address}" if self.address else ""
        return f"nvme_ctrl(transport={self.transport}{address})"
	%}
}

%pythoncode %{
def _deprecated(old, new):
    import warnings

    warnings.warn(f"{old} is deprecated, assign to {new}", DeprecationWarning, stacklevel=3)
%}

%extend ns {
	CONTEXT
	%feature("docstring") ns "ns(s, nsid)

The namespace with that id in the subsystem.";
	ns(struct subsystem *s, unsigned int nsid) { return py_ns_create(s, nsid); }
	~ns() { py_ns_free($self); }

	%pythoncode %{
    def paths(self):
        """Yield the paths that lead to this namespace."""
        return _each(nvme_namespace_first_path, nvme_namespace_next_path, self)

    def __str__(self):
        return f"nvme.ns({self.nsid})"
	%}
}

%extend path {
	CONTEXT
	~path() { py_path_free($self); }

	%pythoncode %{
    def __str__(self):
        return f"nvme.path({self.name})"
	%}
}

/* Host identity and boot table: None where there is none. */
%newobject hostnqn_from_file;
%newobject hostid_from_file;
%typemap(newfree) char * "free($1);";
%typemap(out) char *hostnqn_from_file, char *hostid_from_file {
	$result = $1 ? PyUnicode_FromString($1) : SWIG_Py_Void();
}
%inline %{
char *hostnqn_from_file(void) { return nvmf_hostnqn_from_file(); }
char *hostid_from_file(void) { return nvmf_hostid_from_file(); }
%}

%feature("pythonprepend") nbft_get "filename = _objects.path(filename)"
%feature("docstring") nbft_get "nbft_get(filename) -> dict or None

What the NVMe Boot Firmware Table in that file says; None if there is none or it is invalid.";
%inline %{
PyObject *nbft_get(const char *filename) { return nbft_dict(filename); }
%}

/* What the files below /etc/nvme describe. */
%rename(_read_files) files_read;
%rename(_scan_files) files_scan;
%rename(_host_of) files_host;
%rename(_apply_mptcp) files_apply_mptcp;
%rename(_adopt) files_adopt;
%newobject files_read;
%newobject files_host;
%newobject files_adopt;
struct root *files_read(struct root *like, const char *file);
void files_scan(struct root *root, const char *context);
struct host *files_host(struct root *root, const char *hostnqn, const char *hostid);
PyObject *files_apply_mptcp(struct root *root, const char *hostnqn, const char *hostid);
struct ctrl *files_adopt(struct root *root, struct ctrl *ctrl);

/* Walks over them and over discovery logs. */
%rename(_walk_new) outcomes_new;
%rename(_walk_run) outcomes_run;
%rename(_walk_call) outcomes_call;
%rename(_walk_undo) outcomes_undo;
%rename(_walk_end) outcomes_end;
%rename(_walk_ctrl) outcomes_ctrl;
%newobject outcomes_ctrl;
PyObject *outcomes_new(struct root *root, PyObject *caller, bool connects, bool referrals,
		       unsigned int timeout_ms);
void outcomes_run(PyObject *walk, struct host *host, PyObject *given);
void outcomes_call(PyObject *call);
void outcomes_undo(PyObject *call);
void outcomes_end(PyObject *walk);
struct ctrl *outcomes_ctrl(PyObject *capsule);

%rename(_root_of) root_of_host;
%newobject root_of_host;
%inline %{
static struct root *root_of_host(struct host *host)
{
	return py_host_handle(host) ? py_root_new(host->tree, host->tree->r) : NULL;
}
%}

%rename(_give_up) give_up;
%inline %{
static bool give_up(struct host *host) { return tree_give_up(host->tree); }
%}
%constant int _IGNORED = ENVME_CONNECT_IGNORED;
/* What few scripts need, or what takes modules that are slow to import, comes on first use. */
%pythoncode %{
_LATER = {
    "ConnectOptions": "_options",
    "DiscoveryEntry": "_options",
    "ErrorCode": "_options",
    "Incomplete": "_walk",
    "Outcome": "_walk",
    "connect": "_connect",
    "connect_all": "_discovery",
    "discover": "_discovery",
    "generate_dhchap_key": "_keys",
}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f".{_LATER[name]}", __package__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})
%}
