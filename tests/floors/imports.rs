//! Imports between the files of a crate: every path of its code, resolved to the file that defines the name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// Path of a module from the crate's root.
type Module = Vec<String>;

/// Code of one file.
struct File {
    /// Path below `src/`.
    path: String,
    /// Names that `use` brings, with where they come from.
    bindings: BTreeMap<String, Vec<String>>,
    /// Modules all of whose names `use` brings.
    globs: Vec<Vec<String>>,
    /// Paths that the code names, as they are written.
    named: BTreeSet<Vec<String>>,
}

/// The files below `src/`, and pairs of them: the first names the second.
pub(super) fn arrows(src: &Path) -> (BTreeSet<String>, BTreeSet<(String, String)>) {
    let mut files = BTreeMap::new();
    if src.join("lib.rs").is_file() {
        read(src, "lib.rs", &[], &mut files);
    }
    if src.join("main.rs").is_file() {
        // Modules of the program stand beside those of the library, which it names as another crate.
        let mut program = BTreeMap::new();
        read(src, "main.rs", &[], &mut program);
        for (module, file) in program {
            files.entry(module).or_insert(file);
        }
    }
    assert!(!files.is_empty(), "{}: neither a library nor a program", src.display());
    let mut arrows = BTreeSet::new();
    for (module, file) in &files {
        for named in &file.named {
            if let Some(to) = resolve(&files, module, named, 0).filter(|to| to != module) {
                arrows.insert((file.path.clone(), files[&to].path.clone()));
            }
        }
    }
    (files.into_values().map(|file| file.path).collect(), arrows)
}

/// Reads the file of a module and those of the modules that it declares.
fn read(src: &Path, path: &str, module: &[String], files: &mut BTreeMap<Module, File>) {
    let text = fs::read_to_string(src.join(path)).unwrap();
    let parsed = syn::parse_file(&text).unwrap();
    let mut file =
        File { path: path.to_owned(), bindings: BTreeMap::new(), globs: Vec::new(), named: BTreeSet::new() };
    file.visit_file(&parsed);
    files.insert(module.to_vec(), file);
    let folder = match path
        .strip_suffix("lib.rs")
        .or_else(|| path.strip_suffix("main.rs"))
        .or_else(|| path.strip_suffix("mod.rs"))
    {
        Some(folder) => folder.to_owned(),
        None => format!("{}/", path.trim_end_matches(".rs")),
    };
    for item in &parsed.items {
        let Item::Mod(child) = item else { continue };
        if child.content.is_none() && !is_for_tests(&child.attrs) {
            let name = child.ident.to_string();
            let paths = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")];
            // A file in another place, which `path` names, is none of the crate's own.
            let Some(path) = paths.iter().find(|path| src.join(path).is_file()) else { continue };
            read(src, path, &[module, &[name]].concat(), files);
        }
    }
}

/// The module that defines the name of a path, seen from a module of this crate; none for names of other
/// crates.
fn resolve(files: &BTreeMap<Module, File>, from: &[String], path: &[String], depth: usize) -> Option<Module> {
    let mut at = from.to_vec();
    for (place, name) in path.iter().enumerate() {
        let file = files.get(&at)?;
        let child = [&*at, std::slice::from_ref(name)].concat();
        match &**name {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            _ if files.contains_key(&child) => at = child,
            _ => {
                // Each `use` of a circle leads on: ten of them lead nowhere.
                let bound = file.bindings.get(name).filter(|_| depth < 10);
                if let Some(bound) = bound.filter(|bound| **bound != path[place..]) {
                    return resolve(files, &at, &[bound, &path[place + 1..]].concat(), depth + 1);
                }
                for glob in file.globs.iter().filter(|_| depth < 10) {
                    let module = resolve(files, &at, glob, depth + 1)?;
                    if files[&module].bindings.contains_key(name) {
                        return resolve(files, &module, &path[place..], depth + 1);
                    }
                }
                // A first name that nothing here brings is another crate's, or the file's own.
                return (place > 0).then_some(at);
            }
        }
    }
    Some(at)
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let of = list.tokens.to_string();
                of == "test" || of == "doctest"
            })
    })
}

impl File {
    fn take(&mut self, tree: &UseTree, before: &mut Vec<String>, is_handed_on: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take(&path.tree, before, is_handed_on);
                before.pop();
            }
            UseTree::Name(name) => {
                self.bind(name.ident.to_string(), &name.ident.to_string(), before, is_handed_on)
            }
            UseTree::Rename(name) => {
                self.bind(name.rename.to_string(), &name.ident.to_string(), before, is_handed_on)
            }
            UseTree::Glob(_) => {
                self.globs.push(before.clone());
                if !is_handed_on {
                    self.named.insert(before.clone());
                }
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.take(tree, before, is_handed_on);
                }
            }
        }
    }

    fn bind(&mut self, name: String, of: &str, before: &[String], is_handed_on: bool) {
        let path = if of == "self" { before.to_vec() } else { [before, &[of.to_owned()]].concat() };
        let name = if of == "self" && name == "self" { before[before.len() - 1].clone() } else { name };
        if !is_handed_on {
            self.named.insert(path.clone());
        }
        self.bindings.insert(name, path);
    }
}

impl Visit<'_> for File {
    fn visit_item(&mut self, item: &Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    /// A module within the file calls the file `super`.
    fn visit_item_mod(&mut self, item: &ItemMod) {
        let before = std::mem::take(&mut self.named);
        visit::visit_item_mod(self, item);
        let inside = std::mem::replace(&mut self.named, before);
        let of_file = |mut path: Vec<String>| {
            if path[0] == "super" {
                path.remove(0);
            }
            path
        };
        self.named.extend(inside.into_iter().map(of_file).filter(|path| !path.is_empty()));
    }

    /// A name that is handed on (`pub use`) is named by the files that use it, not by this one.
    fn visit_item_use(&mut self, item: &ItemUse) {
        let is_handed_on = !matches!(item.vis, Visibility::Inherited);
        self.take(&item.tree, &mut Vec::new(), is_handed_on);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let path_of: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A small letter alone is a variable more often than a module.
        if path_of.len() > 1 || path_of[0].starts_with(char::is_uppercase) {
            self.named.insert(path_of);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, of: &syn::Macro) {
        // Of the tokens of a macro call, the paths from the root.
        let text = of.tokens.to_string().replace(' ', "");
        for path in text.split("crate::").skip(1) {
            let path = path.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).next().unwrap();
            let path = path.split("::").map(str::to_owned).filter(|name| !name.is_empty());
            self.named.insert(std::iter::once("crate".to_owned()).chain(path).collect());
        }
        visit::visit_macro(self, of);
    }
}
