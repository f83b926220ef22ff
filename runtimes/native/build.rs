//! Says for which CPython this is compiled, as `pyo3-ffi` finds out.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    pyo3_build_config::add_extension_module_link_args();
}
