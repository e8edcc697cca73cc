//! [`ClassLabels`]: the classes of a model as the data have them.

use std::borrow::Cow;

use raddle_datasets::Field;
use serde_json::Value;

/// Labels of the classes of a model, as in the data: numbers, or texts whose numbers are the values of the
/// response.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClassLabels<'a> {
    /// Values of the response, ascending.
    pub values: &'a [f64],
    /// The texts, if the values are numbers of texts.
    pub names: Option<&'a [String]>,
    /// Type of the labels, as numpy calls it: see [`type_of`](Self::type_of). `None` for a model written by a
    /// version without types.
    pub of_type: Option<&'a str>,
}

/// From this number on, doubles cannot distinguish whole numbers.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl ClassLabels<'_> {
    /// Returns the type of labels read from data: `int64` for whole numbers and `float64` for others; for
    /// texts `int64` or `uint64` if they are whole numbers that doubles cannot distinguish, `bool` for
    /// `False` and `True`, else `str`.
    pub fn type_of(values: &[f64], names: Option<&[String]>) -> &'static str {
        match names {
            None if values.iter().all(|value| value.fract() == 0.0 && value.abs() < WHOLE) => "int64",
            None => "float64",
            Some(names) if names.iter().eq(["False", "True"]) => "bool",
            Some(names) if names.iter().all(|name| is_same(name, name.parse::<i64>().ok())) => "int64",
            Some(names) if names.iter().all(|name| is_same(name, name.parse::<u64>().ok())) => "uint64",
            Some(_) => "str",
        }
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// `true` if the response has no classes.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns a class by its number from 0, as text of the data.
    pub fn text(&self, class: usize) -> Cow<'_, str> {
        match self.names {
            Some(names) => names.get(class).map_or("", String::as_str).into(),
            None => self.values.get(class).map_or_else(String::new, f64::to_string).into(),
        }
    }

    /// Returns a class for the screen: on one line.
    pub fn shown(&self, class: usize) -> String {
        self.text(class).replace(|letter: char| letter.is_control(), " ")
    }

    /// Returns a class with its type, for reports.
    pub fn value(&self, class: usize) -> Value {
        let text = self.text(class);
        let of_type = self.of_type.unwrap_or_else(|| Self::type_of(self.values, self.names));
        let whole =
            || text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok();
        match of_type {
            "bool" => Value::from(&*text == "True"),
            other if other.starts_with("int") || other.starts_with("uint") => {
                whole().unwrap_or_else(|| text.into_owned().into())
            }
            _ if self.names.is_none() => self.values.get(class).copied().into(),
            _ => text.into_owned().into(),
        }
    }

    /// Returns a class as a field of a line with tabs.
    pub fn field(&self, class: usize) -> String {
        Field(&self.text(class)).to_string()
    }

    /// Returns the classes as fields of `coef.tsv`; older models, which have no type, number them from 1.
    pub fn fields(&self) -> Vec<String> {
        match self.of_type {
            Some(_) => (0..self.len()).map(|class| self.field(class)).collect(),
            None => (1..=self.len()).map(|number| number.to_string()).collect(),
        }
    }
}

/// `true` if a number is printed as this text.
fn is_same(text: &str, number: Option<impl ToString>) -> bool {
    number.is_some_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn labels_have_the_type_that_they_are_printed_as() {
        let of = |values: &[f64], names: Option<&[&str]>| {
            let names = names.map(texts);
            let (names, numbers) = (names.as_deref(), [0.0, 1.0, 2.0]);
            let values = if let Some(names) = names { &numbers[..names.len()] } else { values };
            let labels = ClassLabels { values, names, of_type: Some(ClassLabels::type_of(values, names)) };
            let shown = (0..labels.len()).map(|class| labels.value(class)).collect::<Vec<_>>();
            (labels.of_type.unwrap().to_owned(), json!(shown).to_string(), labels.fields().join("|"))
        };
        let is = |found: (String, String, String), of_type: &str, json: &str, fields: &str| {
            assert_eq!(found, (of_type.into(), json.into(), fields.into()));
        };
        is(of(&[0.0, 1.0, 2.0], None), "int64", "[0,1,2]", "0|1|2");
        is(of(&[-1.0, 0.5], None), "float64", "[-1.0,0.5]", "-1|0.5");
        is(of(&[1e300, 2e300], None), "float64", "[1e+300,2e+300]", &format!("{}|{}", 1e300, 2e300));
        is(of(&[], Some(&["no", "yes"])), "str", r#"["no","yes"]"#, "no|yes");
        is(of(&[], Some(&["False", "True"])), "bool", "[false,true]", "False|True");
        is(of(&[], Some(&["01", "1"])), "str", r#"["01","1"]"#, "01|1");
        let (large, larger) = ("9007199254740993", "18446744073709551615");
        is(of(&[], Some(&["-1", large])), "int64", &format!("[-1,{large}]"), &format!("-1|{large}"));
        is(of(&[], Some(&["1", larger])), "uint64", &format!("[1,{larger}]"), &format!("1|{larger}"));
        is(of(&[], Some(&["a\tb", "c\"d"])), "str", r#"["a\tb","c\"d"]"#, "\"a\tb\"|\"c\"\"d\"");
    }

    #[test]
    fn older_models_number_their_classes_from_one() {
        let labels = ClassLabels { values: &[0.0, 1.0, 2.0], names: None, of_type: None };
        assert_eq!(labels.fields(), ["1", "2", "3"]);
        assert_eq!(labels.value(2), json!(2));
    }
}
