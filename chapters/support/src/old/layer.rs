//! What every layer with weights must tell dfdx, written by a macro; section
//! 10.3 shows the long form.

/// Implements dfdx's `TensorCollection` for a layer in f32 on the default
/// device: the optimisers, `alloc_grads` and `reset_params` then know its
/// weights. Each field is followed by the function that fills it with its
/// first values, or by `layer` if it is a layer itself.
///
/// ```text
/// support::layer! { BilinearAttention<DQ, DK> { w: fan_in } }
/// support::layer! { Two<D> { first: layer, second: layer, bias: zero } }
/// ```
#[macro_export]
macro_rules! layer {
    ($name:ident $(< $($letter:ident $(: $kind:ident)?),+ >)? {
        $($field:ident : $how:tt),+ $(,)?
    }) => {
        impl $(< $(const $letter: $crate::layer!(# $($kind)?)),+ >)?
            ::dfdx::prelude::TensorCollection<
                f32,
                ::dfdx::prelude::AutoDevice,
            > for $name $(< $($letter),+ >)?
        {
            type To<
                E2: ::dfdx::prelude::Dtype,
                D2: ::dfdx::prelude::Device<E2>,
            > = ();

            fn iter_tensors<
                Visitor: ::dfdx::prelude::ModuleVisitor<
                    Self,
                    f32,
                    ::dfdx::prelude::AutoDevice,
                >,
            >(
                visitor: &mut Visitor,
            ) -> Result<Option<()>, Visitor::Err> {
                let fields = ($($crate::layer!(@ $field $how),)+);
                visitor.visit_fields(fields, |_| ())
            }
        }
    };
    (#) => { usize };
    (# $kind:ident) => { $kind };
    (@ $field:ident layer) => {
        Self::module(
            stringify!($field),
            |s| &s.$field,
            |s| &mut s.$field,
        )
    };
    (@ $field:ident $fill:ident) => {
        Self::tensor(
            stringify!($field),
            |s| &s.$field,
            |s| &mut s.$field,
            ::dfdx::prelude::TensorOptions::reset_with($fill),
        )
    };
}
