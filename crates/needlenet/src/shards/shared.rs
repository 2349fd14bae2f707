//! Serialisation of shared values (`Arc`): the value itself is written.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<T: Serialize + ?Sized, S: Serializer>(
    value: &Arc<T>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().serialize(to)
}

pub(crate) fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(from: D) -> Result<Arc<T>, D::Error>
where
    Box<T>: Deserialize<'de>,
{
    Ok(Arc::from(Box::<T>::deserialize(from)?))
}

/// The same for optional values.
pub(crate) mod optional {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize + ?Sized, S: Serializer>(
        value: &Option<Arc<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_deref().serialize(to)
    }

    pub(crate) fn deserialize<'de, T: ?Sized, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Arc<T>>, D::Error>
    where
        Box<T>: Deserialize<'de>,
    {
        Ok(Option::<Box<T>>::deserialize(from)?.map(Arc::from))
    }
}
